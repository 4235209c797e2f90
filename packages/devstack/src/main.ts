import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ProblemError, WaitedTooLong } from '@berth/client';
import { JourneyFailed } from './journey/journey-failed.ts';
import { type JourneyResult, runJourney } from './journey/journey.ts';
import { createSteps } from './journey/steps.ts';
import { ServerFailed } from './servers/server-failed.ts';
import { type Stack, startStack } from './stack/start-stack.ts';
import { takeFreeFileLock } from './tools/file-lock.ts';
import { ToolUnavailable } from './tools/tool-unavailable.ts';

const usage = `npm start [-- options]
  --fresh               delete the state of earlier starts
  --once                run the journey, stop everything, end with 0 or 1
  --kubeconfig FILE --context NAME   deploy to that cluster instead of the embedded one`;

/** The options are wrong, so the usage is printed, too. */
class UsageError extends Error {}

/** An error that the user can act on. Anything else is a bug, which is printed with its stack. */
const actionable = [UsageError, ToolUnavailable, ServerFailed, JourneyFailed, ProblemError, WaitedTooLong];

const stateFolder = fileURLToPath(new URL('../../../.berth/state', import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}
void stopWithParent(process.ppid);

/** If the parent is killed without passing on a signal, this process must stop the stack. */
async function stopWithParent(parent: number): Promise<void> {
  while (process.ppid === parent) await delay(500, undefined, { ref: false });
  stopping.abort();
}

function givenOptions() {
  try {
    return parseArgs({
      options: {
        fresh: { type: 'boolean', default: false },
        once: { type: 'boolean', default: false },
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(wordsOf(cause), { cause });
  }
}

function options() {
  const { kubeconfig, context, fresh, once } = givenOptions();
  if ((kubeconfig === undefined) !== (context === undefined)) {
    throw new UsageError('--kubeconfig and --context go together');
  }
  const cluster =
    kubeconfig !== undefined && context !== undefined ? { kubeconfigFile: kubeconfig, context } : undefined;
  return { fresh, once, cluster };
}

/** The page that leads to the identity provider, where one click signs a person in. */
const signInUrl = (stack: Stack): string => `${stack.url}/sign-in`;

function showAddresses(stack: Stack, { token, deployment }: JourneyResult): void {
  say(`
Berth is up.
  console         ${signInUrl(stack)}   (choose Ada)
  API             ${stack.url}/api/v2
  API reference   ${stack.url}/api/v2/docs
  health          ${stack.url}/readyz
  registry        ${stack.registry.url}   (helm push CHART.tgz oci://${new URL(stack.registry.url).host}/charts --plain-http)
  cluster         kubectl --kubeconfig ${stack.kubeconfigFile} --context ${stack.cluster} -n ${deployment.namespace} get pods
  sign-in         ${stack.people.map(({ email }) => email).join(', ')}: no password; ada is a site admin
  state and logs  ${stack.stateFolder}

  curl -s -H 'x-service-token: ${token}' ${stack.url}/api/v2/deployments

Ctrl-C stops everything; the next start finds it again.`);
}

/** A lock, because two starts on the same state folder would use the same ports and data. */
async function main(): Promise<number> {
  const chosen = options();
  await mkdir(dirname(stateFolder), { recursive: true });
  const lock = await takeFreeFileLock(`${stateFolder}.lock`);
  if ('heldBy' in lock) {
    throw new ServerFailed(`it is running already in this checkout, as process ${lock.heldBy}; stop that one first`);
  }
  try {
    return await run(chosen);
  } finally {
    await lock.release();
  }
}

async function run({ fresh, once, cluster }: ReturnType<typeof options>): Promise<number> {
  const started = performance.now();
  if (fresh) {
    say('deleting the state of earlier starts');
    await rm(stateFolder, { recursive: true, force: true });
  }
  const steps = createSteps(say);
  const stack = await steps.step('start the platform', () =>
    startStack({ stateFolder, cluster, env: process.env, log: steps.detail, signal: stopping.signal }),
  );
  say(`    the console is at ${signInUrl(stack)}: choose Ada. Its first deployment follows.`);
  try {
    const result = await Promise.race([runJourney({ stack, steps, signal: stopping.signal }), failing(stack.died)]);
    say(`\nready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (once) return 0;
    showAddresses(stack, result);
    await Promise.race([aborted(stopping.signal), failing(stack.died)]);
    return 0;
  } finally {
    say('\nstopping');
    await stack.stop();
  }
}

const failing = async (died: Promise<Error>): Promise<never> => {
  throw await died;
};

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n${usage}`;
  if (error instanceof Error && !actionable.some((kind) => error instanceof kind)) return error.stack ?? error.message;
  return wordsOf(error);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main();
} catch (error) {
  const interrupted = stopping.signal.aborted;
  if (!interrupted) process.stderr.write(`\nberth: ${explain(error)}\n`);
  process.exitCode = interrupted ? 130 : 1;
}
