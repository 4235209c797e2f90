import type { ResourceCallResult } from '@berth/contracts/resources/tasks/resource-calls';
import type { Answer } from '../calls/deployment-client.ts';
import { plainText } from '../log/log-texts.ts';
import { redactStart } from '../log/redact.ts';
import type { TextFinder } from '../log/text-finder.ts';

export type CallOutcome = Pick<ResourceCallResult, 'outcome' | 'reason'>;

const maxQuoted = 300;
/** The quote is taken from this beginning of the answer; only this much is searched for secrets. */
const maxSearched = 4_000;

/** Answers of an ingress without a backend, and of servers that are not ready or busy. */
const mayPass = (status: number): boolean => status >= 500 || [404, 408, 409, 425, 429].includes(status);

/** The outcome of a call, from its answer. A quoted answer is as public as the resource. */
export function outcomeOfAnswer(
  { status, text }: Pick<Answer, 'status' | 'text'>,
  { isDeletion, secrets }: { isDeletion: boolean; secrets: TextFinder },
): CallOutcome {
  if (status >= 200 && status < 300) return { outcome: 'Done', reason: null };
  if (isDeletion && status === 410) return { outcome: 'Done', reason: null };
  if (status >= 300 && status < 400) {
    return { outcome: 'Failed', reason: `The deployment answered ${status}, and redirects are not followed` };
  }
  const quoted = redactStart(text, maxSearched, secrets, (each) => plainText(each.replace(/\s+/g, ' ')))
    .slice(0, maxQuoted)
    .toWellFormed()
    .trim();
  const reason = `The deployment answered ${status}${quoted === '' ? '' : `: ${quoted}`}`;
  return { outcome: mayPass(status) ? 'Retry' : 'Failed', reason };
}
