import { z } from 'zod';
import type { Manifest } from './helm-in-test.ts';

const Data = z.record(z.string(), z.base64());

/** A file of the Secret with the configuration of NATS; empty if it is not there. */
export function natsText(manifests: readonly Manifest[], name: string): string {
  const secret = manifests.find(({ kind, metadata }) => kind === 'Secret' && metadata.name.endsWith('-nats-config'));
  return Buffer.from(Data.parse(secret?.['data'])[name] ?? '', 'base64').toString();
}
