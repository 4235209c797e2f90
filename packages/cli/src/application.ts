import { buildApplication, buildRouteMap, text_en } from '@stricli/core';
import { contextRoutes } from './commands/access/context.ts';
import { completion } from './commands/access/completion.ts';
import { login } from './commands/access/login.ts';
import { tokenRoutes } from './commands/access/token.ts';
import { whoami } from './commands/access/whoami.ts';
import { createRoutes } from './commands/changes/create.ts';
import { setRoutes } from './commands/changes/set.ts';
import { chartRoutes } from './commands/charts/chart.ts';
import { action } from './commands/deployments/action.ts';
import { deploy } from './commands/deployments/deploy.ts';
import { diff } from './commands/deployments/diff.ts';
import { events } from './commands/deployments/events.ts';
import { restart } from './commands/deployments/restart.ts';
import { rollback } from './commands/deployments/rollback.ts';
import { upgrade } from './commands/deployments/upgrade.ts';
import { audit } from './commands/rows/audit.ts';
import { deleteCommand } from './commands/rows/delete.ts';
import { describe } from './commands/rows/describe.ts';
import { get } from './commands/rows/get.ts';
import { why } from './commands/rows/why.ts';
import { applyCommand } from './commands/sets/apply.ts';
import { exportCommand } from './commands/sets/export.ts';
import { secretRoutes } from './commands/secrets/secret.ts';
import { cancel } from './commands/tasks/cancel.ts';
import { logs } from './commands/tasks/logs.ts';
import { retry } from './commands/tasks/retry.ts';
import { tasks } from './commands/tasks/tasks.ts';
import { wait } from './commands/tasks/wait.ts';
import manifest from '../package.json' with { type: 'json' };
import { noCommandText } from './command-elsewhere.ts';
import { exitCodeOf } from './failure/exit-code-of.ts';
import { failureText } from './failure/failure-text.ts';
import type { Cli } from './terminal/cli.ts';

const routes = buildRouteMap({
  routes: {
    login,
    whoami,
    context: contextRoutes,
    get,
    describe,
    why,
    deploy,
    diff,
    upgrade,
    rollback,
    restart,
    action,
    events,
    create: createRoutes,
    set: setRoutes,
    delete: deleteCommand,
    logs,
    tasks,
    wait,
    cancel,
    retry,
    secret: secretRoutes,
    token: tokenRoutes,
    audit,
    chart: chartRoutes,
    apply: applyCommand,
    export: exportCommand,
    completion,
  },
  docs: {
    brief: 'Deploy packaged Helm charts onto many clusters with Berth',
    fullDescription: [
      'Deploy packaged Helm charts onto many clusters with Berth.',
      '',
      '  berth login https://berth.example.com',
      '  berth get deployments --filter needs_attention=true',
      '  berth why web -e prod',
      '  berth logs web -e prod --pod --tail 20',
      '  berth deploy web -e prod --chart HelloWeb@1.2.0 --set replicas=3 --wait',
      '  berth export -e prod --to envs/prod',
      '',
      'Names and ids work everywhere, as in `berth get deployments web -e prod` and `berth describe deployment/web -e prod`. `berth COMMAND --help` has more examples.',
      'Commands ask the platform of the current context (`berth login`, `berth context use`). For pipelines, such as GitHub Actions or GitLab CI, set BERTH_URL and BERTH_TOKEN instead: `berth deploy --help`. `berth whoami` says what is in effect.',
      'Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 refused, 4 timed out, 130 cancelled.',
    ].join('\n'),
  },
});

/** All commands, with their help. */
export const application = buildApplication<Cli>(routes, {
  name: 'berth',
  versionInfo: { currentVersion: manifest.version },
  scanner: {
    caseStyle: 'allow-kebab-for-camel',
    // Half of the usual threshold: `scale` is not a misspelt `cancel`.
    distanceOptions: { threshold: 3, weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 0 } },
  },
  documentation: { caseStyle: 'convert-camel-to-kebab', onlyRequiredInUsageLine: true, useAliasInUsageLine: true },
  determineExitCode: exitCodeOf,
  localization: {
    text: {
      ...text_en,
      exceptionWhileRunningCommand: failureText,
      exceptionWhileParsingArguments(error) {
        return `berth: ${text_en.exceptionWhileParsingArguments.call(this, error, false)}`;
      },
      noCommandRegisteredForInput: ({ input, corrections }) => noCommandText(input, corrections),
    },
  },
});
