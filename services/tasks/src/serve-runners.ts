import { heldItemReaders } from './collections/item-readers.ts';
import { dryRunHandlers } from './plans/dry-run-handlers.ts';
import { resourceCallHandlers } from './resources/calls/call-handlers.ts';
import { createCallTokens } from './status/call-tokens.ts';
import { statusPollHandlers } from './status/status-poll-handlers.ts';
import { runnerHandlers } from './tasks/claims/runner-handlers.ts';
import type { Parts } from './parts.ts';

/** The four kinds of work that runners claim and report. */
export function serveRunners(parts: Parts): void {
  const { config, bus, log, store, inTransaction, hints, dueWatch, readers, policy, metrics } = parts;
  const { ownUrl, secretKeys, limits, reserved } = config;
  const { notifyRunners } = dueWatch;

  bus.serve(
    runnerHandlers({
      store,
      inTransaction,
      policy,
      limits,
      reserved,
      readers,
      heldReaders: heldItemReaders,
      bus,
      secretKeys,
      ownUrl,
      notifyRunners,
      hintLog: hints.log,
      log,
      metrics,
    }),
  );
  bus.serve(dryRunHandlers({ store, readers, bus, secretKeys, ownUrl, log }));
  bus.serve(resourceCallHandlers({ bus, inTransaction, secretKeys, notifyRunners, log }));
  bus.serve(statusPollHandlers({ store, inTransaction, callTokens: createCallTokens({ bus }), log, metrics }));
}
