import type { OperationSpec } from './contract.ts';

/** For operations that need no credential or ignore the body. */
export const smallBodyBytes = 16 * 1024;
const bodyBytes = 1024 * 1024;

/** Specification, "Request bodies": how large the body of a request may be, in bytes. */
export const bodyLimitOf = ({ allow, body }: OperationSpec): number =>
  allow.on === 'nothing' || body === undefined ? smallBodyBytes : bodyBytes;
