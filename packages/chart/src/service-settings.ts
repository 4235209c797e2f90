import type { CallerName } from '@berth/shared/contracts/contract';
import { z } from 'zod';

/** Where each process describes its settings; the file exports a schema under the name. */
const sources: Record<CallerName, { file: string; schema: string }> = {
  'api-gateway': { file: 'services/api-gateway/src/config.ts', schema: 'Config' },
  auth: { file: 'services/auth/src/config.ts', schema: 'Config' },
  tasks: { file: 'services/tasks/src/config.ts', schema: 'Config' },
  'cluster-sync': { file: 'services/cluster-sync/src/config.ts', schema: 'Config' },
  'registry-scan': { file: 'services/registry-scan/src/config.ts', schema: 'Config' },
  runner: { file: 'services/tasks/src/runner/runner-config.ts', schema: 'RunnerConfig' },
};

/** Settings of every process, which its frame reads. */
const ofTheFrame = ['LOG_LEVEL', 'HEALTH_PORT', 'HEALTH_HOST'];

export interface ServiceSettings {
  readonly names: readonly string[];
  readonly required: readonly string[];
}

/** What reads the settings of a process. */
export async function settingsSchema(root: URL, name: CallerName): Promise<z.ZodType> {
  const { file, schema } = sources[name];
  const module: Record<string, unknown> = await import(new URL(file, root).href);
  const found = module[schema];
  if (!(found instanceof z.ZodType)) throw new Error(`${file} exports no schema ${schema}`);
  return found;
}

/** The settings of each process, from the schema that reads them: none is written down a second time. */
export async function serviceSettings(root: URL): Promise<Record<CallerName, ServiceSettings>> {
  const settingsOf = async (name: CallerName) => namesIn(name, await settingsSchema(root, name));
  return {
    'api-gateway': await settingsOf('api-gateway'),
    auth: await settingsOf('auth'),
    tasks: await settingsOf('tasks'),
    'cluster-sync': await settingsOf('cluster-sync'),
    'registry-scan': await settingsOf('registry-scan'),
    runner: await settingsOf('runner'),
  };
}

function namesIn(name: CallerName, schema: z.ZodType): ServiceSettings {
  const object = schema instanceof z.ZodPipe ? schema.in : schema;
  if (!(object instanceof z.ZodObject)) throw new Error(`the settings of ${name} are no object`);
  const shape: Record<string, z.ZodType> = object.shape;
  const required = Object.entries(shape).filter(([, setting]) => !setting.safeParse(undefined).success);
  return { names: [...Object.keys(shape), ...ofTheFrame], required: required.map(([name]) => name) };
}
