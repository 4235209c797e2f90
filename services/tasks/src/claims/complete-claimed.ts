import { cutText } from '@berth/contracts/cut-text';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';

/** A claimed row that cannot be handed out. No runner knows of it, so the handler records this as its outcome. */
export interface Incomplete<Row> {
  row: Row;
  /** `outage`: something that it needs does not answer now. */
  because: 'bug' | 'outage' | 'refused';
  /** For users. */
  reason: string;
  error: unknown;
}

export interface Completing<Row, Job> {
  /** The time left for the answer. */
  remainingMs: () => number;
  log: Pick<Service['log'], 'debug' | 'error'>;
  /** For the log. */
  idOf: (row: Row) => object;
  /** The reason that users read for a bug. */
  bugReason: string;
  /** Null if there is no longer anything to do. */
  complete: (row: Row, deadlineMs: () => number) => Promise<Job | null>;
}

/** Left for the outcome of what cannot be completed, and for the answer. */
const reserveMs = 500;

/** Makes of claimed rows what a runner needs to work on them, within the deadline of its request. */
export async function completeClaimed<Row, Job>(
  rows: readonly Row[],
  { remainingMs, log, idOf, bugReason, complete }: Completing<Row, Job>,
): Promise<{ jobs: Job[]; failed: Incomplete<Row>[] }> {
  const deadlineMs = () => Math.max(100, remainingMs() - reserveMs);
  const failed: Incomplete<Row>[] = [];
  const completeOne = async (row: Row): Promise<Job | null> => {
    try {
      return await complete(row, deadlineMs);
    } catch (error) {
      const level = concernsOperators(error) ? 'error' : 'debug';
      log[level]({ err: error, ...idOf(row) }, 'a claim could not be completed');
      failed.push({ row, error, ...why(error, bugReason) });
      return null;
    }
  };
  const jobs = await Promise.all(rows.map(completeOne));
  return { jobs: jobs.filter((job) => job !== null), failed };
}

/** A bug does, and a secret that does not open. */
const concernsOperators = (error: unknown): boolean =>
  !(error instanceof AppError) || (error.code === 'unprocessable' && error.cause !== undefined);

function why(error: unknown, bugReason: string): Pick<Incomplete<unknown>, 'because' | 'reason'> {
  if (!(error instanceof AppError)) return { because: 'bug', reason: bugReason };
  const because = error.status >= 500 || error.status === 429 ? 'outage' : 'refused';
  return { because, reason: cutText(error.message, 500) };
}
