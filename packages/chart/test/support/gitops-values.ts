import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { bundled, merged, needed, root, type Values } from './helm-in-test.ts';

/** The values that docs/install.md gives for Argo CD and Flux. */
export async function guideValues(): Promise<Values> {
  const page = await readFile(new URL('docs/install.md', root), 'utf8');
  const [, text = ''] = /```yaml\n# gitops\/values\.yaml\n(.*?)```/s.exec(page) ?? [];
  return z.record(z.string(), z.unknown()).parse(parse(text));
}

export const broughtSecrets = {
  keys: { existingSecret: 'berth-keys' },
  nats: { existingSecret: 'berth-nats' },
  postgresql: { existingSecret: 'berth-database-urls' },
};

/** An evaluation whose Secrets are brought, so that it can be rendered without a cluster. */
export const broughtEvaluation = merged(
  needed,
  bundled,
  { global: { trial: false, ...broughtSecrets } },
  { global: { nats: { servers: 3, replicas: 3 } } },
);
