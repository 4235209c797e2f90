import { z } from 'zod';

export const Config = z
  .object({
    NATS_URL: z.url(),
    NATS_PASSWORD: z.string().min(1),
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    SERVICE_OWN_URL: z.url({ protocol: /^https?$/ }),
    SERVICE_VERSION: z.string().default('0.1.0'),
  })
  .transform((env) => ({
    nats: { url: env.NATS_URL, password: env.NATS_PASSWORD },
    host: env.HOST,
    port: env.PORT,
    ownUrl: env.SERVICE_OWN_URL,
    version: env.SERVICE_VERSION,
  }));
export type Config = z.output<typeof Config>;
