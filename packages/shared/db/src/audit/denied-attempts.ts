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
  /** Attempts with the same source and reason count as equal. */
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

/** The source whose different attempts are limited: an identity, or all callers without one. */
interface Source {
  name: string;
  /** The most different attempts of one minute that get an event each. */
  most: number;
  by: AuditEntry['by'];
  resource: string;
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
}

interface Due {
  entry: AuditEntry;
  written: () => void;
}

const mostOfIdentity = 20;
/** One limit for all addresses, because an attacker has many. */
const mostOfStrangers = 50;
const mostSources = 10_000;

/**
 * Records refused attempts at little cost: nothing for the request, few rows in the table. Equal attempts within a minute become
 * one event and another with the number of repetitions. Beyond a number of different attempts, only their count is kept. Each
 * replica counts for itself.
 */
export function createDeniedAttempts({ db, log, now = Date.now }: Options): DeniedAttempts {
  const minutes = new Map<string, Minute>();
  let dropped = 0;

  const minuteNow = (): number => Math.floor(now() / 60_000);

  function count(source: Source, name: string, attempt: Attempt): void {
    const minute = minuteNow();
    const key = `${minute} ${source.name}`;
    const known = minutes.get(key);
    if (!known && minutes.size >= mostSources) {
      dropped += 1;
      return;
    }
    const own = known ?? { source, minute, alike: new Map(), leftOut: 0 };
    if (!known) minutes.set(key, own);
    const before = own.alike.get(name);
    if (before) before.times += 1;
    else if (own.alike.size < source.most) own.alike.set(name, { attempt, times: 1, isWritten: false });
    else own.leftOut += 1;
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
    noteSignIn({ requestId, resource, action, details }) {
      const by = { identity: undefined, requestId };
      const source = { name: resource, most: mostOfStrangers, by, resource };
      const attempt = { by, action, resource, objectId: null, envId: null, details };
      count(source, `${action} ${JSON.stringify(details)}`, attempt);
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

/** Has neither object nor env, so only site admins see it. */
const restOf = ({ source: { by, most, resource }, leftOut }: Minute): AuditEntry => ({
  by: { identity: by.identity, requestId: null },
  action: 'further attempts',
  resource,
  objectId: null,
  envId: null,
  details: { different_attempts_before: most },
  result: 'denied',
  times: leftOut,
});
