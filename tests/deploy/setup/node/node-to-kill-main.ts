import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTools, nodeToolNames, startKubernetes, startRealNode, toolNames } from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { runPod } from './run-pod.ts';

// A node with a pod, in the folder that is named: `node-to-kill-main.ts <folder>`. It says when the pod runs, and stays.
const stateFolder = process.argv[2] ?? '';
const signal = AbortSignal.timeout(10 * 60_000);
const given = { stateFolder, guard: startProcessGuard(), signal };
const tools = await ensureTools({
  names: [...toolNames, ...nodeToolNames],
  env: process.env,
  log: () => undefined,
  signal,
});
const kubernetes = await startKubernetes({ ...given, tools, durable: false, nodes: 0 });
const node = await startRealNode({ ...given, tools, kubernetes });
await runPod(node, 'killed', signal);
console.log('the pod runs');
await sleep(10 * 60_000);
