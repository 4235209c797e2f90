import { z } from 'zod';

const Servers = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^(nats|tls)$/, error: 'must be nats:// or tls:// URLs, separated by commas' })));

const mebibyte = 1024 * 1024;

export const defaultStateBytes = 256 * mebibyte;

/** Settings of the bus for every process, as part of the schema of its configuration. */
export const busSettings = {
  /** One or more servers of the same NATS cluster. */
  NATS_URL: Servers,
  /** Password of the NATS user, which is named like the service; or the seed of its nkey. */
  NATS_PASSWORD: z.string().min(1),
  /** The same for the user `<service>-streams`, whose nkey is another one; by default NATS_PASSWORD. */
  NATS_STREAMS_PASSWORD: z.string().min(1).optional(),
  /** PEM certificates of the authorities that signed those of the servers; by default the well-known ones. */
  NATS_CA: z.string().includes('-----BEGIN CERTIFICATE-----', 'must hold certificates as PEM').optional(),
  /** Copies of what JetStream stores, in a cluster of NATS servers. */
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** The most bytes of JetStream's disk for the state of this service, if it owns rows; read when its stream is created. */
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
  NATS_STREAMS_PASSWORD,
  NATS_CA,
  NATS_REPLICAS,
  NATS_STATE_BYTES,
}: z.output<typeof BusSettings>) => ({
  servers: NATS_URL,
  password: NATS_PASSWORD,
  streamsPassword: NATS_STREAMS_PASSWORD,
  ca: NATS_CA,
  replicas: NATS_REPLICAS,
  stateBytes: NATS_STATE_BYTES,
});
