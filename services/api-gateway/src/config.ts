import { busOptions, busSettings } from '@berth/shared/bus/bus-settings';
import { z } from 'zod';

export const Config = z
  .object({
    ...busSettings,
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    SERVICE_OWN_URL: z.url({ protocol: /^https?$/ }),
    SERVICE_VERSION: z.string().default('0.1.0'),
  })
  .transform((env) => ({
    bus: busOptions(env),
    host: env.HOST,
    port: env.PORT,
    ownUrl: env.SERVICE_OWN_URL,
    version: env.SERVICE_VERSION,
  }));
export type Config = z.output<typeof Config>;
