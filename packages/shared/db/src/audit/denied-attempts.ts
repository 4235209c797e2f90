import type { Logger } from 'pino';
import type { DeniedAttempt } from '@berth/contracts/access/denied-attempt';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { Queries } from '../database.ts';
import { type AuditEntry, recordAudits } from './audit-log.ts';

/** A refused sign-in, whose caller is unknown. */
export interface RefusedSignIn {
  requestId: string;
  resource: string;
  /** As a verb. */
  action: string;
  /** The network that it came from, as far as it is known. */
  address: string | null;
  /** The account that it was aimed at, such as the id of a token, where auth can tell. */
  account?: string | undefined;
  /** Why it was refused. Attempts with equal fields and the same address are alike. */
  details: JsonObject;
}

export interface DeniedAttempts extends AsyncDisposable {
  note(attempt: DeniedAttempt): void;
  noteSignIn(refused: RefusedSignIn): void;
  /** Writes due events: the first refusal at once, the number of repetitions when its minute ends. */
  write(): Promise<void>;
}

interface Options {
  db: Pick<Queries, 'query'>;
  log: Pick<Logger, 'warn'>;
  now?: () => number;
}

/** The source whose different attempts are limited: an identity, an account, an address, or all further addresses. */
interface Source {
  name: string;
  /** The most different attempts of one minute that get an event each. */
  most: number;
  by: AuditEntry['by'];
  resource: string;
  /** For the event that counts the rest. */
  details?: JsonObject;
}

type Attempt = Omit<AuditEntry, 'result' | 'times'>;

interface Alike {
  attempt: Attempt;
  /** Not written yet. */
  times: number;
  isWritten: boolean;
}

interface Minute {
  source: Source;
  minute: number;
  alike: Map<string, Alike>;
  leftOut: number;
  /** The addresses of omitted attempts, up to a number. */
  addresses: Set<string>;
}

interface Due {
  entry: AuditEntry;
  written: () => void;
}

const mostOfIdentity = 20;
/** For each address, so that a flood from others does not hide a guess. */
const mostOfAddress = 3;
/** Addresses with events of their own in one minute: an attacker who floods may have many. */
const mostAddresses = 50;
/** For each account, whatever the addresses are: whoever guesses at it cannot be hidden by other noise. */
const mostOfAccount = 5;
const mostSources = 10_000;
const mostCounted = 10_000;

/**
 * Records refused attempts at little cost: nothing for the request, few rows in the table. Equal attempts within a minute become
 * one event and another with the number of repetitions. Beyond a number of different attempts, only their count is kept. Each
 * replica counts for itself.
 */
export function createDeniedAttempts({ db, log, now = Date.now }: Options): DeniedAttempts {
  const minutes = new Map<string, Minute>();
  let strangers = { minute: 0, addresses: new Set<string>() };
  let dropped = 0;

  const minuteNow = (): number => Math.floor(now() / 60_000);

  function count(source: Source, name: string, attempt: Attempt, address?: string): void {
    const minute = minuteNow();
    const key = `${minute} ${source.name}`;
    const known = minutes.get(key);
    if (!known && minutes.size >= mostSources) {
      dropped += 1;
      return;
    }
    const own = known ?? { source, minute, alike: new Map(), leftOut: 0, addresses: new Set() };
    if (!known) minutes.set(key, own);
    const before = own.alike.get(name);
    if (before) before.times += 1;
    else if (own.alike.size < source.most) own.alike.set(name, { attempt, times: 1, isWritten: false });
    else {
      own.leftOut += 1;
      if (address !== undefined && own.addresses.size < mostCounted) own.addresses.add(address);
    }
  }

  /** Whether the address is one of those that have events of their own in this minute. */
  function hasOwnEvents(address: string): boolean {
    const minute = minuteNow();
    if (strangers.minute !== minute) strangers = { minute, addresses: new Set() };
    if (strangers.addresses.size < mostAddresses) strangers.addresses.add(address);
    return strangers.addresses.has(address);
  }

  async function write(all = false): Promise<void> {
    if (dropped > 0) {
      log.warn({ attempts: dropped }, 'denied attempts of too many identities: not in the audit log');
      dropped = 0;
    }
    for (const batch of inBatches([...minutes].flatMap(([key, own]) => dueOf(key, own, all)))) {
      await recordAudits(
        db,
        batch.map(({ entry }) => entry),
      );
      for (const { written } of batch) written();
    }
  }

  /** Takes the due entries of a source. Each is dropped only after it was written, so an outage of the database loses none. */
  function dueOf(key: string, own: Minute, all: boolean): Due[] {
    const isOver = all || own.minute < minuteNow();
    const due = [...own.alike.values()]
      .filter(({ times, isWritten }) => times > 0 && (isOver || !isWritten))
      .map((alike): Due => {
        const { attempt, times } = alike;
        const written = () => {
          alike.times -= times;
          alike.isWritten = true;
        };
        return { entry: { ...attempt, result: 'denied', times }, written };
      });
    if (!isOver) return due;
    if (own.leftOut > 0) due.push({ entry: restOf(own), written: () => (own.leftOut = 0) });
    if (due.length === 0) minutes.delete(key);
    return due;
  }

  return {
    note({ identity, requestId, resource, operation, objectId, envId }) {
      const by = { identity, requestId };
      const source = { name: `${identity.kind} ${identity.id}`, most: mostOfIdentity, by, resource: 'audit_events' };
      const attempt = { by, action: operation, resource, objectId, envId, details: {} };
      count(source, `${resource} ${operation} ${objectId ?? ''}`, attempt);
    },
    noteSignIn({ requestId, resource, action, address, account, details: reason }) {
      const by = { identity: undefined, requestId };
      const details = { ...reason, address };
      const attempt = { by, action, resource, objectId: null, envId: null, details };
      const from = address ?? 'unknown';
      count(sourceOf(), `${action} ${JSON.stringify(details)}`, attempt, from);

      function sourceOf(): Source {
        if (account !== undefined)
          return { name: `${resource} account ${account}`, most: mostOfAccount, by, resource, details: { account } };
        if (hasOwnEvents(from))
          return { name: `${resource} address ${from}`, most: mostOfAddress, by, resource, details: { address } };
        return { name: resource, most: 0, by, resource };
      }
    },
    write: () => write(),
    [Symbol.asyncDispose]: () =>
      write(true).catch((error: unknown) =>
        log.warn({ err: error }, 'the last denied attempts are not in the audit log'),
      ),
  };
}

function* inBatches(due: readonly Due[]): Generator<readonly Due[]> {
  for (let from = 0; from < due.length; from += 1_000) yield due.slice(from, from + 1_000);
}

/** An event without object and env, so only site admins see it. */
const restOf = ({ source: { by, most, resource, details }, leftOut, addresses }: Minute): AuditEntry => ({
  by: { identity: by.identity, requestId: null },
  action: 'further attempts',
  resource,
  objectId: null,
  envId: null,
  details: { ...details, different_attempts_before: most, ...(addresses.size > 0 && { addresses: addresses.size }) },
  result: 'denied',
  times: leftOut,
});
