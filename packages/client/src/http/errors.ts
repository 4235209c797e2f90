// The package that is published has this file written out, as `../api/client.ts`.
export type { ErrorCode, FieldError } from '@berth/contracts/errors';
