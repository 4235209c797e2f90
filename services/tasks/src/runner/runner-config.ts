import { resolve } from 'node:path';
import { busOptions, busSettings } from '@berth/shared/bus/connection/bus-settings';
import { z } from 'zod';

export const RunnerConfig = z
  .object({
    ...busSettings,
    HELM_BINARY: z.string().default('helm'),
    /** Private folder for charts, discovery caches and the files of running tasks; a tmpfs is best. */
    RUNNER_FOLDER: z.string().min(1),
    RUNNER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
    RUNNER_NAME: z.string().max(200).optional(),
  })
  .transform((env) => ({
    bus: busOptions(env),
    helmBinary: env.HELM_BINARY,
    // Helm has another working directory, where a relative path would not be found.
    folder: resolve(env.RUNNER_FOLDER),
    concurrency: env.RUNNER_CONCURRENCY,
    name: env.RUNNER_NAME,
  }));
export type RunnerConfig = z.output<typeof RunnerConfig>;
