import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startTimeOf } from '@berth/process-guard/start-time-of';
import { z } from 'zod';
import { writePrivately } from '../remembered.ts';
import { ServerFailed } from '../server-failed.ts';
import { NODE_INTERFACE } from './node-configuration.ts';
import { processesInCgroup, removeCgroup } from './node-cgroup.ts';
import { removePodInterfaces } from './node-network.ts';
import { hasKubeRules, removeRules } from './node-rules.ts';

const run = promisify(execFile);

/** There is one node per machine, so there is one place that says whose it is. */
const RECORD = '/run/berth-node.json';
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

const Claim = z.object({
  pid: z.number(),
  startTime: z.string().optional(),
  /** Of the whole run: each of its servers has a path below it in its command line. */
  stateFolder: z.string().min(2),
  /** Of the machine, before the node. */
  forwarding: z.string(),
  hadKubeRules: z.boolean(),
});
type Claim = z.infer<typeof Claim>;

/**
 * Records what has to be ended and put back after this node. What a node left whose run was killed is ended first; a node that runs
 * is an error. Disposed of after everything else of the node.
 */
export async function claimNode(stateFolder: string): Promise<AsyncDisposable> {
  const text = await readFile(RECORD, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const earlier = Claim.parse(JSON.parse(text));
    if (earlier.startTime !== undefined && startTimeOf(earlier.pid) === earlier.startTime)
      throw new ServerFailed(`a real node runs already, of process ${earlier.pid}`);
    await endNode(earlier, earlier.stateFolder);
  }
  // Also of a node without a record, such as one of an earlier version.
  await removePodInterfaces();
  const claim: Claim = {
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    stateFolder,
    forwarding: await readFile(FORWARDING, 'utf8'),
    hadKubeRules: await hasKubeRules(),
  };
  await writePrivately(RECORD, JSON.stringify(claim));
  return { [Symbol.asyncDispose]: () => endNode(claim, join(stateFolder, 'node')) };
}

/**
 * Ends whatever there is of a node, from its processes to its rules, with the processes that have a path below `named` in their command
 * line. Each step also succeeds if there is nothing left for it.
 */
async function endNode({ stateFolder, forwarding, hadKubeRules }: Claim, named: string): Promise<void> {
  const folder = join(stateFolder, 'node');
  const ended = async () => {
    const left = [...(await processesBelow(named)), ...(await processesInCgroup())];
    for (const pid of left) kill(pid);
    return left.length === 0;
  };
  await until(ended, 'the processes of the node');
  await unmountBelow(folder);
  await removePodInterfaces();
  await until(removeCgroup, 'the control groups of the node');
  await removeRules({ kube: !hadKubeRules });
  await run('ip', ['link', 'delete', NODE_INTERFACE], { timeout: 10_000 }).catch(() => undefined);
  await writeFile(FORWARDING, forwarding);
  await rm(folder, { recursive: true, force: true });
  await rm(RECORD, { force: true });
}

/** Processes end and give up their control groups a moment after they are killed. */
async function until(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isDone())) {
    if (Date.now() > end) throw new ServerFailed(`${what} did not end within a minute`);
    await sleep(50);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function processesBelow(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const commands = await Promise.all(
    pids.map(async (pid) => ({ pid, command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })),
  );
  return commands.flatMap(({ pid, command }) => (command.includes(`${folder}/`) ? [pid] : []));
}

/** Pods have their network namespaces there too, each of which is a mount. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const ours = mounts.split('\n').flatMap((line) => line.split(' ')[1] ?? []);
  for (const mount of ours.filter((path) => path.startsWith(`${folder}/`)).toReversed()) {
    await run('umount', ['--lazy', mount], { timeout: 10_000 }).catch(() => undefined);
  }
}
