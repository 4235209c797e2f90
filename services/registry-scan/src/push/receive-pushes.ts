import type { Loop, Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { RegistrySource } from '../connection/registry-source.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ConfiguredRegistry } from '../scan/configured-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { processHints } from './process-hints.ts';
import { createHintQueue } from './hint-queue.ts';
import { type PushListener, type PushListenerOptions, startPushListener } from './push-listener.ts';
import { queueHints } from './queue-hints.ts';

interface ReceivePushes extends Omit<PushListenerOptions, 'onHints' | 'log'>, Pick<Service, 'log' | 'signal'> {
  scan: ScanDeps;
  sources: readonly RegistrySource[];
  registries: ReadonlyMap<string, ConfiguredRegistry>;
  pollRepository: Pick<PollRepository, 'makeDue'>;
}

/** Listens for push events; the loop scans the tags and repositories that they name. */
export async function receivePushes({
  scan,
  sources,
  registries,
  pollRepository,
  signal,
  ...listen
}: ReceivePushes): Promise<{ listener: PushListener; loop: Loop }> {
  const queue = createHintQueue();
  const wakeUp = createWakeUp(signal);
  const onHints = queueHints({ queue, wakeUp, sources, pollRepository, log: listen.log });
  return {
    listener: await startPushListener({ ...listen, onHints }),
    loop: processHints({ scan, registries, queue, wakeUp, pollRepository }),
  };
}
