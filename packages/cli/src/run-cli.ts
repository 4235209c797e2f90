import { buildApplication, buildRouteMap, run, type StricliProcess, text_en } from '@stricli/core';
import { askOn } from './terminal/ask-on.ts';
import type { Cli } from './terminal/cli.ts';
import { applyCommand } from './commands/sets/apply.ts';
import { action } from './commands/deployments/action.ts';
import { contextRoutes } from './commands/access/context.ts';
import { chartRoutes } from './commands/charts/chart.ts';
import { cancel } from './commands/tasks/cancel.ts';
import { deleteCommand } from './commands/rows/delete.ts';
import { deploy } from './commands/deployments/deploy.ts';
import { describe } from './commands/rows/describe.ts';
import { diff } from './commands/sets/diff.ts';
import { events } from './commands/deployments/events.ts';
import { exportCommand } from './commands/sets/export.ts';
import { get } from './commands/rows/get.ts';
import { login } from './commands/access/login.ts';
import { logs } from './commands/tasks/logs.ts';
import { restart } from './commands/deployments/restart.ts';
import { retry } from './commands/tasks/retry.ts';
import { rollback } from './commands/deployments/rollback.ts';
import { secretRoutes } from './commands/secrets/secret.ts';
import { tokenRoutes } from './commands/access/token.ts';
import { wait } from './commands/tasks/wait.ts';
import { why } from './commands/rows/why.ts';
import { exitCodeOf } from './failure/exit-code-of.ts';
import { exitCodes } from './failure/exit-codes.ts';
import { failureText } from './failure/failure-text.ts';

const routes = buildRouteMap({
  routes: {
    login,
    context: contextRoutes,
    get,
    describe,
    why,
    deploy,
    rollback,
    restart,
    action,
    events,
    delete: deleteCommand,
    logs,
    wait,
    cancel,
    retry,
    secret: secretRoutes,
    token: tokenRoutes,
    chart: chartRoutes,
    apply: applyCommand,
    diff,
    export: exportCommand,
  },
  docs: {
    brief: 'Deploy packaged Helm charts onto many clusters with Berth',
    fullDescription: [
      'Deploy packaged Helm charts onto many clusters with Berth.',
      '',
      'Names or ids work everywhere: `berth get deployments web -e prod`. The platform is that of BERTH_URL and BERTH_TOKEN, or of the current context (`berth login`).',
      'Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 refused, 4 timed out, 130 cancelled.',
    ].join('\n'),
  },
});

const application = buildApplication<Cli>(routes, {
  name: 'berth',
  scanner: { caseStyle: 'allow-kebab-for-camel' },
  determineExitCode: exitCodeOf,
  localization: {
    text: { ...text_en, exceptionWhileRunningCommand: failureText },
  },
});

/** Runs the command that the arguments name; the exit code says what became of it. */
export async function runCli(given: NodeJS.Process): Promise<void> {
  // `| head` ends the reader before the writer, which is no failure.
  let isOutputRead = true;
  given.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isOutputRead = false;
  });
  const { stdout, stderr, env } = given;
  const process: StricliProcess = { stdout, stderr, env };
  await run(application, given.argv.slice(2), { ...cliOf(given), isOutputRead: () => isOutputRead, process });
  const code = Number(process.exitCode ?? 0);
  // The framework has negative codes for wrong usage.
  given.exitCode = code < 0 ? exitCodes.usage : code;
}

const cliOf = (given: NodeJS.Process): Omit<Cli, 'process' | 'isOutputRead'> => ({
  env: given.env,
  readInput: async () => (await given.stdin.setEncoding('utf8').toArray()).join(''),
  ask: askOn(given),
  onInterrupt: (act) => {
    given.on('SIGINT', act);
    return () => void given.off('SIGINT', act);
  },
});
