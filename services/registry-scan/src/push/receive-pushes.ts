import type { Loop, Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { CreatedRegistries } from '../polling/created-registries.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { processHints } from './process-hints.ts';
import { createHintQueue } from './hint-queue.ts';
import { type PushListener, type PushListenerOptions, startPushListener } from './push-listener.ts';
import { queueHints } from './queue-hints.ts';

interface ReceivePushes
  extends Omit<PushListenerOptions, 'createdTokenOf' | 'onHints' | 'log'>,
    Pick<Service, 'log' | 'signal'> {
  scan: ScanDeps;
  /** Those of the configuration, by their keys. */
  registries: ReadonlyMap<string, ScannedRegistry>;
  created: Pick<CreatedRegistries, 'pushTokenOf' | 'withId'>;
  pollRepository: Pick<PollRepository, 'makeDue'>;
}

/** Listens for push events; the loop scans the tags and repositories that they name. */
export async function receivePushes({
  scan,
  registries,
  created,
  pollRepository,
  signal,
  ...listen
}: ReceivePushes): Promise<{ listener: PushListener; loop: Loop }> {
  const queue = createHintQueue();
  const wakeUp = createWakeUp(signal);
  const onHints = queueHints({
    queue,
    wakeUp,
    registries: [...registries.values()],
    created,
    pollRepository,
    log: listen.log,
  });
  const registryOf = (key: string) => registries.get(key) ?? created.withId(key);
  return {
    listener: await startPushListener({ ...listen, createdTokenOf: created.pushTokenOf, onHints }),
    loop: processHints({ scan, registryOf, queue, wakeUp, pollRepository }),
  };
}
