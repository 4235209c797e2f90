import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { KnownSecrets } from '../log/known-secrets.ts';
import { redactStart } from '../log/redact.ts';
import type { TaskLog } from '../log/task-log.ts';
import { permanent } from '../outcome/task-failure.ts';
import { type Answer, CallFailed, type DeploymentClient } from './deployment-client.ts';

export interface InvokeRun {
  readonly task: Pick<ClaimedTask, 'call'>;
  readonly lease: Pick<ClaimLease, 'beginAttempt' | 'lost' | 'canceled'>;
  readonly log: Pick<TaskLog, 'say' | 'line'>;
  readonly secrets: KnownSecrets;
  readonly stop: AbortSignal;
  readonly deps: { deployments: DeploymentClient; stopping: AbortSignal };
}

const timeoutMs = 60_000;
const maxAnswerBytes = 256 * 1024;
/** A stopping runner waits this long for a call, which could not be repeated after a cut. */
const graceMs = 8_000;
/** Lines of an answer that the log keeps. */
const maxLines = 2_000;
const maxQuoted = 300;
/** The quote is taken from this beginning of the answer; only this much is searched for secrets. */
const maxSearched = 4_000;

/** Sends the call of an action, once. Its answer goes to the log. */
export async function invoke(run: InvokeRun): Promise<void> {
  const { lease, log, secrets, stop, deps } = run;
  const { call } = run.task;
  if (!call) throw permanent('The task names no call');
  secrets.add([call.token, ...call.hidden]);
  stop.throwIfAborted();
  // From here on the call may have arrived.
  await lease.beginAttempt();
  stop.throwIfAborted();

  log.say(`${call.method} https://${call.host}/${call.path.replace(/^\/+/, '')}`);
  const done = new AbortController();
  const signal = AbortSignal.any([lease.lost, lease.canceled, someTimeAfter(deps.stopping, done.signal)]);
  const limits = { timeoutMs, maxBytes: maxAnswerBytes, beginningSuffices: true, signal };
  try {
    const answer = await deps.deployments.call({ ...call, body: call.body ?? undefined }, limits);
    logAnswer(answer, run);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    throw permanent(`The call failed and is not repeated, since it may have arrived: ${error.message}`, error);
  } finally {
    done.abort();
  }
}

function logAnswer({ status, text, isCut }: Answer, { log, secrets }: InvokeRun): void {
  log.say(`the deployment answered ${status}`);
  const lines = text.split(/\r?\n/, maxLines + 1);
  const hasMore = lines.length > maxLines;
  // A line that was cut may end with the beginning of a secret. Where it is the only one, it is longer than what the log shows of a line.
  if (hasMore || (isCut && lines.length > 1)) lines.pop();
  for (const line of lines) if (line !== '') log.line('stdout', line);
  if (hasMore) log.say(`only the first ${maxLines} lines of the answer are kept`);
  else if (isCut) log.say(`only the first ${maxAnswerBytes / 1024} KiB of the answer are kept`);
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw permanent(`The deployment answered ${status}, and redirects are not followed`);
  // The reason is as public as the log.
  const quoted = redactStart(text, maxSearched, secrets.texts()).slice(0, maxQuoted).trim();
  throw permanent(`The deployment answered ${status}${quoted === '' ? '' : `: ${quoted}`}`);
}

function someTimeAfter(signal: AbortSignal, done: AbortSignal): AbortSignal {
  const later = new AbortController();
  const wait = () =>
    delay(graceMs, undefined, { signal: done, ref: false }).then(
      () => later.abort(signal.reason),
      () => undefined,
    );
  if (signal.aborted) void wait();
  else signal.addEventListener('abort', () => void wait(), { once: true, signal: done });
  return later.signal;
}
