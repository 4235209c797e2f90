import { createHmac, hkdfSync } from 'node:crypto';

/** The keys derived from one key of the configuration, one for each purpose. */
interface SecretKey {
  /** Identifies the key in the rows that it seals, and reveals nothing about it. */
  readonly id: string;
  /** Wraps the data keys. */
  readonly wrapping: Buffer;
  readonly digesting: Buffer;
}

export interface SecretKeys {
  /** Wraps all new data keys. */
  readonly current: Pick<SecretKey, 'id' | 'wrapping'>;
  readonly ids: readonly string[];
  wrappingKey(id: string): Buffer | undefined;
  /** Equal for equal contents, but useless with only a database dump. */
  digest(contents: string): string;
}

const derive = (key: Buffer, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `berth secrets: ${purpose}`, bytes));

const secretKey = (key: Buffer): SecretKey => ({
  id: derive(key, 'id of the key', 8).toString('hex'),
  wrapping: derive(key, 'wrapping of data keys', 32),
  digesting: derive(key, 'digest of contents', 32),
});

/** `others` are only used to open: the old key until `seal-again` is done, the new one until all replicas have it. */
export function createSecretKeys(current: Buffer, others: readonly Buffer[]): SecretKeys {
  const first = secretKey(current);
  const byId = new Map([first, ...others.map(secretKey)].map((key) => [key.id, key]));
  return {
    current: first,
    ids: [...byId.keys()],
    wrappingKey: (id) => byId.get(id)?.wrapping,
    digest: (contents) => createHmac('sha256', first.digesting).update(contents).digest('base64url'),
  };
}
