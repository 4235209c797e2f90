export interface ErrorForLog {
  type: string;
  message: string;
  /** Only frames; the first line of a stack repeats the message. */
  stack: string;
  code?: string;
  cause?: ErrorForLog;
}

const maxCauses = 4;

/** Only these fields of an error are logged: other fields hold statements, rows and values. */
export function errorForLog(error: unknown, causes = maxCauses): ErrorForLog {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an Error was thrown', stack: '' };
  const { cause, message, name, stack = '' } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: name,
    message: withoutValues(error, message),
    stack: framesOf(stack),
    ...(code !== undefined && { code }),
    ...(cause instanceof Error && causes > 0 && { cause: errorForLog(cause, causes - 1) }),
  };
}

const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .join('\n');

/** PostgreSQL quotes invalid input: `invalid input syntax for type json: "…"`. */
const withoutValues = (error: Error, message: string): string =>
  isFromDatabase(error) ? message.replace(/: ".*/s, ': …') : message;

const isFromDatabase = (error: Error, causes = maxCauses): boolean =>
  ['severity', 'sqlState', 'routine'].some((field) => field in error) ||
  (causes > 0 && error.cause instanceof Error && isFromDatabase(error.cause, causes - 1));
