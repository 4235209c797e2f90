import type { CallerName } from '@berth/contracts/definition/contract';
import { z } from 'zod';
import { UnusableSource } from './unusable-source.ts';

/** Settings that `runService` reads in each process. */
const ofTheFrame = ['LOG_LEVEL', 'HEALTH_PORT', 'HEALTH_HOST', 'HEALTH_TLS_FOLDER'];

export interface ServiceSettings {
  readonly names: readonly string[];
  readonly required: readonly string[];
}

/** The schema that reads the settings of a process. */
export async function settingsSchema(root: URL, name: CallerName): Promise<z.ZodType> {
  const file = `services/${name}/src/config.ts`;
  const { Config }: Record<string, unknown> = await import(new URL(file, root).href);
  if (!(Config instanceof z.ZodType)) throw new UnusableSource(`${file} does not export a schema Config`);
  return Config;
}

/** The settings of each process, from the schema that reads them. */
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
  if (!(object instanceof z.ZodObject))
    throw new UnusableSource(`services/${name}/src/config.ts: Config is not an object`);
  const shape: Record<string, z.ZodType> = object.shape;
  const required = Object.entries(shape).filter(([, setting]) => !setting.safeParse(undefined).success);
  return { names: [...Object.keys(shape), ...ofTheFrame], required: required.map(([name]) => name) };
}
