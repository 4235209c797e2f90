import type { CallOptions, Problem } from '@berth/client';
import { type Cli, say } from '../../terminal/cli.ts';
import type { ReadPlan } from '../../sets/apply/read-plan.ts';
import { reportResults, sayResult } from './report-results.ts';
import { waitForResults } from './wait-for-results.ts';

interface Manner {
  folder: string;
  own: boolean;
  wait: boolean;
  timeout: number;
  /** How long all calls together wait for a platform that is busy or away. */
  patience: number;
}

/** Does a plan that was agreed to, records what belongs to the set, and ends with a table. */
export async function doPlan(cli: Cli, read: ReadPlan, manner: Manner): Promise<void> {
  const { folder, own, wait, timeout, patience } = manner;
  const { client, live, plan, contents, etags } = read;
  const [{ applySet }, { setNames }, { createRecorder }, { ownedBy }] = await Promise.all([
    import('../../sets/apply/apply-set.ts'),
    import('../../sets/apply/set-names.ts'),
    import('../../sets/apply/set-record.ts'),
    import('../../sets/apply/owned-by.ts'),
  ]);
  const recorder = await createRecorder(folder, { ...read, owned: ownedBy(read, own) });
  const ids = new Map([...live.rows].map(([key, { id }]) => [key, id]));
  const stopping = new AbortController();
  let isStopping = false;
  const stopListening = cli.onInterrupt(() => {
    if (isStopping) return stopping.abort();
    isStopping = true;
    say(cli, 'stopping after this row; Ctrl-C once more stops at once');
  });
  try {
    const results = await applySet(plan, {
      ...setNames(live, ids, contents),
      client,
      etags,
      options: callOptions(cli, stopping.signal, patience),
      withinMs: timeout,
      isThere: (key) => ids.has(key),
      isStopping: () => isStopping,
      async onCreated(key, id) {
        ids.set(key, id);
        await recorder.add(key, id);
      },
      onDeleted: (key) => recorder.remove(key),
      onResult: (result) => sayResult(cli, result),
    });
    const signal = stopping.signal;
    const ended = wait && !isStopping ? await waitForResults(cli, client, results, { timeout, signal }) : results;
    reportResults(cli, ended);
  } finally {
    stopListening();
  }
}

function callOptions(cli: Cli, signal: AbortSignal, patience: number): () => CallOptions {
  let left = patience;
  const onWait = ({ detail }: Problem, ms: number): void => {
    left -= ms;
    say(cli, `${detail}; trying again in ${Math.ceil(ms / 1_000)} s`);
  };
  return () => ({ signal, patience: { ms: left, onWait } });
}
