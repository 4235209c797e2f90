import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { ConfigError } from '@berth/service/read-config';

/** The absolute path of the Helm binary. It runs without an environment, so `PATH` cannot be searched later. */
export async function findHelm(binary: string, path: string | undefined): Promise<string> {
  const candidates = binary.includes('/')
    ? [resolve(binary)]
    : (path ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => resolve(folder, binary));
  for (const candidate of candidates) {
    const runs = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return candidate;
  }
  throw new ConfigError([`HELM_BINARY: ${binary} was not found or is not executable`]);
}
