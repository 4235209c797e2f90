import type { Logger } from 'pino';
import type { DeniedAttempt } from '../../access/denied-attempt.ts';
import type { Identity } from '../../access/identity.ts';
import type { Queries } from '../database.ts';
import { type AuditEntry, recordAudits } from './audit-log.ts';

export interface DeniedAttempts extends AsyncDisposable {
  note(attempt: DeniedAttempt): void;
  /** Writes what is due: what was refused first at once, how often it was repeated when its minute is over. */
  write(): Promise<void>;
}

interface Options {
  db: Pick<Queries, 'query'>;
  log: Pick<Logger, 'warn'>;
  now?: () => number;
}

interface Alike {
  attempt: DeniedAttempt;
  /** Not written yet. */
  times: number;
  isWritten: boolean;
}

interface Minute {
  identity: Identity;
  minute: number;
  alike: Map<string, Alike>;
  leftOut: number;
}

interface Due {
  entry: AuditEntry;
  written: () => void;
}

/** Different attempts of one identity in one minute that have events of their own. */
const mostAlike = 20;
const mostIdentities = 10_000;

/**
 * Refused attempts cost the request nothing and the table little: attempts that are alike within a minute are one event, and
 * one more for its repetitions; of those beyond twenty different ones only the number is kept. Each replica counts for itself.
 */
export function createDeniedAttempts({ db, log, now = Date.now }: Options): DeniedAttempts {
  const minutes = new Map<string, Minute>();
  let dropped = 0;

  const minuteNow = (): number => Math.floor(now() / 60_000);

  function note(attempt: DeniedAttempt): void {
    const { identity, resource, operation, objectId } = attempt;
    const minute = minuteNow();
    const key = `${minute} ${identity.kind} ${identity.id}`;
    const known = minutes.get(key);
    if (!known && minutes.size >= mostIdentities) {
      dropped += 1;
      return;
    }
    const own = known ?? { identity, minute, alike: new Map(), leftOut: 0 };
    if (!known) minutes.set(key, own);
    const name = `${resource} ${operation} ${objectId ?? ''}`;
    const before = own.alike.get(name);
    if (before) before.times += 1;
    else if (own.alike.size < mostAlike) own.alike.set(name, { attempt, times: 1, isWritten: false });
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

  /** What is to be written of one identity; each is forgotten once it is written, so that a lost database costs nothing. */
  function dueOf(key: string, own: Minute, all: boolean): Due[] {
    const isOver = all || own.minute < minuteNow();
    const due = [...own.alike.values()]
      .filter(({ times, isWritten }) => times > 0 && (isOver || !isWritten))
      .map((alike): Due => {
        const { times } = alike;
        const written = () => {
          alike.times -= times;
          alike.isWritten = true;
        };
        return { entry: entryOf(alike), written };
      });
    if (!isOver) return due;
    if (own.leftOut > 0) due.push({ entry: restOf(own), written: () => (own.leftOut = 0) });
    if (due.length === 0) minutes.delete(key);
    return due;
  }

  return {
    note,
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

const entryOf = ({ attempt, times }: Alike): AuditEntry => {
  const { identity, requestId, operation, resource, objectId, envId } = attempt;
  return {
    by: { identity, requestId },
    action: operation,
    resource,
    objectId,
    envId,
    details: {},
    result: 'denied',
    times,
  };
};

/** Of objects and envs that are not named, so only site admins see it. */
const restOf = ({ identity, leftOut }: Minute): AuditEntry => ({
  by: { identity, requestId: null },
  action: 'further attempts',
  resource: 'audit_events',
  objectId: null,
  envId: null,
  details: { different_attempts_before: mostAlike },
  result: 'denied',
  times: leftOut,
});
