import { hash } from 'node:crypto';

/** `sha256:<hex>` of the bytes, as registries and the object store name them. */
export const digestOf = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes, 'hex')}`;
