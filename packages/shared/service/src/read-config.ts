import type { z } from 'zod';
import { secretsFromFiles } from './secrets-from-files.ts';

/** Names each invalid variable and its rule, never its value, which may be a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, options);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The environment, with `NAME_FILE` read from its file, checked by a schema. */
export function readConfig<S extends z.ZodType>(
  schema: S,
  environment: Record<string, string | undefined>,
): z.output<S> {
  const parsed = schema.safeParse(secretsFromFiles(environment));
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'environment'}: ${message}`),
  );
}
