import { readFileSync } from 'node:fs';

type Environment = Record<string, string | undefined>;

const suffix = '_FILE';

/**
 * The environment with every `NAME_FILE` also as `NAME`: the content of that file without its last line break. Secrets can then
 * be mounted as files rather than put into the environment, which other processes can read. A file is read only when its `NAME`
 * is read, because unrelated variables such as `SSL_CERT_FILE` also end like this.
 */
export function secretsFromFiles(environment: Environment): Environment {
  const settings: Environment = { ...environment };
  for (const [name, file] of Object.entries(environment)) {
    if (!name.endsWith(suffix) || file === undefined) continue;
    const get = () => readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    Object.defineProperty(settings, name.slice(0, -suffix.length), { get, enumerable: true, configurable: true });
  }
  return settings;
}
