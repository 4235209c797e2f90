import { cutText } from '@berth/contracts/cut-text';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';

/** A claimed row that cannot be handed to a runner, so the handler records the outcome itself. */
export interface Incomplete<Row> {
  row: Row;
  /** `outage`: a dependency does not answer now. */
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
  /** The reason shown to users for a bug. */
  bugReason: string;
  /** Resolves to null if there is nothing left to do. */
  complete: (row: Row, deadlineMs: () => number) => Promise<Job | null>;
}

/** Reserved for recording failures and for the answer. */
const reserveMs = 500;

/** Adds to claimed rows everything that a runner needs for them, within the deadline of its request. */
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

/** True for a bug and for a secret that cannot be opened. */
const concernsOperators = (error: unknown): boolean =>
  !(error instanceof AppError) || (error.code === 'unprocessable' && error.cause !== undefined);

function why(error: unknown, bugReason: string): Pick<Incomplete<unknown>, 'because' | 'reason'> {
  if (!(error instanceof AppError)) return { because: 'bug', reason: bugReason };
  const because = error.status >= 500 || error.status === 429 ? 'outage' : 'refused';
  return { because, reason: cutText(error.message, 500) };
}
