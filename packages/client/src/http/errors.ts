// In the published package this file is written out, like `../api/client.ts`.
export type { ErrorCode, FieldError } from '@berth/contracts/errors';
