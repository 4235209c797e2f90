import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { permanent } from '../../outcome/task-failure.ts';
import type { ParsedManifest } from './parse-manifest.ts';

const entry = new URL('./manifest-worker-main.ts', import.meta.url);

/** Heap limit of the thread: YAML that exceeds it ends only the thread. */
const maxMegabytes = 256;

/** The objects of manifests, read outside of the thread that renews claims. */
export async function readManifests(texts: readonly string[], signal: AbortSignal): Promise<ParsedManifest[]> {
  signal.throwIfAborted();
  const worker = new Worker(entry, { env: {}, resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } });
  try {
    worker.postMessage(texts, []);
    const [parsed] = await once(worker, 'message', { signal });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the other side of this module
    return parsed as ParsedManifest[];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw permanent('The manifests of the chart are too large to be compared', error);
    }
    throw error;
  } finally {
    await worker.terminate();
  }
}
