import { readFileSync } from 'node:fs';

type Environment = Record<string, string | undefined>;

const suffix = '_FILE';

/**
 * The environment with every `NAME_FILE` replaced by `NAME`, the content of that file without its last line break. So a
 * secret is mounted as a file and never stands in the environment, which other processes can read.
 */
export function secretsFromFiles(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      if (!name.endsWith(suffix) || value === undefined) return [name, value];
      return [name.slice(0, -suffix.length), readFileSync(value, 'utf8').replace(/\r?\n$/, '')];
    }),
  );
}
