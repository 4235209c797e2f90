import { z } from 'zod';

const Servers = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^(nats|tls)$/, error: 'must be nats:// or tls:// URLs, separated by commas' })));

const mebibyte = 1024 * 1024;

export const defaultStateBytes = 256 * mebibyte;

/** Bus settings of every process, for the schema of its configuration. */
export const busSettings = {
  /** One or more servers of one NATS. */
  NATS_URL: Servers,
  /** Password of the NATS user, which is named like the service. */
  NATS_PASSWORD: z.string().min(1),
  /** Certificates of the authorities that sign those of the servers, as PEM; by default the well-known ones. */
  NATS_CA: z.string().includes('-----BEGIN CERTIFICATE-----', 'must hold certificates as PEM').optional(),
  /** Copies of what JetStream holds, where NATS is a cluster. */
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** What the state of this service may take of JetStream's disk, for services that own rows; it counts when its stream is made. */
  NATS_STATE_BYTES: z.coerce
    .number()
    .int()
    .min(mebibyte)
    .max(1024 * 1024 * mebibyte)
    .default(defaultStateBytes),
};
const BusSettings = z.object(busSettings);

/** The part of a configuration that `connectBus` takes. */
export const busOptions = ({
  NATS_URL,
  NATS_PASSWORD,
  NATS_CA,
  NATS_REPLICAS,
  NATS_STATE_BYTES,
}: z.output<typeof BusSettings>) => ({
  servers: NATS_URL,
  password: NATS_PASSWORD,
  ca: NATS_CA,
  replicas: NATS_REPLICAS,
  stateBytes: NATS_STATE_BYTES,
});
