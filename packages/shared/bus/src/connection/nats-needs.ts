import { JetStreamApiError } from '@nats-io/jetstream';
import { limits } from '../protocol/limits.ts';

const mebibyte = 1024 * 1024;
const page = 'docs/nats.md has what Berth needs of a NATS';

/** Why messages of Berth do not fit; null if they do. Without this, only large requests would fail, one by one. */
export const refusalOfPayload = (maxPayload: number): string | null =>
  maxPayload >= limits.maxPayload
    ? null
    : `NATS takes messages of at most ${shown(maxPayload)}, and Berth sends up to ${shown(limits.maxPayload)}: set max_payload: 4MB; ${page}`;

export const refusalOfUser = (user: string): string =>
  `NATS refuses the user ${user}: NATS_PASSWORD differs from its password or is not the seed of its nkey, or NATS has no such user; ${page}`;

export const refusalOfGrants = (caller: string, subject: string, more: number): string =>
  `NATS does not let ${caller} publish to ${subject}${more > 0 ? ` and ${more} more subjects` : ''}: its accounts are of another version, so make them as this one does; ${page}`;

const shown = (bytes: number): string =>
  bytes >= mebibyte ? `${Math.floor((10 * bytes) / mebibyte) / 10} MiB` : `${Math.floor(bytes / 1024)} KiB`;

export interface StreamNeeds {
  /** The stream of the service. */
  stream: string;
  maxBytes: number;
  replicas: number;
  /** Whether the server that answered has JetStream; others of its cluster may have it. */
  hasJetStream: boolean;
}

/** Error codes of the server for what its configuration lacks. Others, such as a cluster without a leader, pass by themselves. */
const codes = {
  insufficientResources: 10_023,
  noAccount: 10_035,
  notEnabledForAccount: 10_039,
  maximumStreams: 10_027,
  resourcesExceeded: 10_002,
  storageExceeded: 10_047,
  replicasNotSupported: 10_074,
  notEnabled: 10_076,
} as const;

/** The library does not export this error. It has the server's answer as its cause, or none if nobody answered. */
const notEnabled = 'JetStreamNotEnabled';

/** Why JetStream refused a stream for good; null if trying again may help. */
export function refusalOfStream(
  error: unknown,
  { stream, maxBytes, replicas, hasJetStream }: StreamNeeds,
): string | null {
  const off = `JetStream is off in NATS: set jetstream with a store_dir of its own; ${page}`;
  const answer = error instanceof Error && error.name === notEnabled ? error.cause : error;
  if (!(answer instanceof JetStreamApiError)) return answer === error || hasJetStream ? null : off;
  switch (answer.code) {
    case codes.notEnabled:
      return off;
    case codes.notEnabledForAccount:
    case codes.noAccount:
      return `JetStream is off for the account ${stream} of NATS: make its accounts as this version of Berth does; ${page}`;
    case codes.insufficientResources:
    case codes.resourcesExceeded:
    case codes.storageExceeded:
      return `NATS has no room for the stream ${stream} of ${shown(maxBytes)}: raise max_file_store, or lower NATS_STATE_BYTES; ${page}`;
    case codes.maximumStreams:
      return `NATS allows no further stream in the account of ${stream}: raise max_streams; ${page}`;
    case codes.replicasNotSupported:
      return `NATS has one server, and NATS_REPLICAS asks for ${replicas} copies of ${stream}: set NATS_REPLICAS=1, or make NATS a cluster; ${page}`;
    default:
      return null;
  }
}
