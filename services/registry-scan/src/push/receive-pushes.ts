import type { Loop, Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import type { ConfiguredRegistries } from '../polling/configured-registries.ts';
import type { CreatedRegistries } from '../polling/created-registries.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { processHints } from './process-hints.ts';
import type { HintRepository } from './hint-repository.ts';
import { type PushListener, type PushListenerOptions, startPushListener } from './push-listener.ts';
import { queueHints } from './queue-hints.ts';

interface ReceivePushesDeps extends Pick<Service, 'log' | 'signal'> {
  scan: ScanDeps;
  configured: Pick<ConfiguredRegistries, 'scanned'>;
  created: Pick<CreatedRegistries, 'pushTokenOf' | 'withId'>;
  pollRepository: Pick<PollRepository, 'makeDue'>;
  hints: HintRepository;
}

/** Listens for push events; the loop scans the tags and repositories that they name. */
export async function receivePushes(
  { scan, configured, created, pollRepository, hints, log, signal }: ReceivePushesDeps,
  settings: Pick<PushListenerOptions, 'host' | 'port' | 'token'>,
): Promise<{ listener: PushListener; loop: Loop }> {
  const wakeUp = createWakeUp(signal);
  const registries = [...configured.scanned.values()];
  const onHints = queueHints({ hints, wakeUp, registries, created, pollRepository });
  const registryOf = (key: string) => configured.scanned.get(key) ?? created.withId(key);
  return {
    listener: await startPushListener({ ...settings, createdTokenOf: created.pushTokenOf, onHints, log }),
    loop: processHints({ scan, registryOf, hints, wakeUp, pollRepository }),
  };
}
