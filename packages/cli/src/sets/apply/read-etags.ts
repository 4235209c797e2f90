import { type CallOptions, type Client, ProblemError } from '@berth/client';
import { callsOf } from '../../names/calls-of.ts';
import type { Step } from '../plan/step.ts';
import { resourceOf } from './set-names.ts';

/** The tags of the rows that would change. Read before the person confirms, so that later changes are not overwritten. */
export async function readEtags(
  client: Client,
  steps: readonly Step[],
  options: CallOptions = {},
): Promise<Map<string, string>> {
  const etags = new Map<string, string>();
  for (const { action, key, live, document } of steps) {
    if (action !== 'change' || live === null) continue;
    const answer = await callsOf(client, { resource: resourceOf[document.kind] }).get({ id: live.id }, options);
    if (!answer.ok) throw new ProblemError(answer.problem);
    if (answer.etag !== null) etags.set(key, answer.etag);
  }
  return etags;
}
