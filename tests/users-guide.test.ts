import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCli } from '../scripts/cli/build-cli.ts';
import { type Platform, startPlatform } from './setup/platform.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** The programs of the reader, each with its Debian package. */
const needed = { bash: 'bash', curl: 'curl', jq: 'jq', kubectl: 'kubernetes-client' };
const missing = Object.entries(needed).flatMap(([program, debian]) =>
  spawnSync(program, ['--help']).error === undefined ? [] : [debian],
);

/** Answers that the guide announces: what is refused, missing, or cannot be read in the local stack. */
const refused = [
  'GET /api/v2/k8s-resources/…/log?tail_lines=100&follow=true 503',
  'PUT /api/v2/deployments/… 412',
  'POST /api/v2/envs 422',
  'DELETE /api/v2/secrets/… 409',
  'POST /api/v2/deployment-tasks/…/retry 409',
  'POST /api/v2/deployments/…/rollback 409',
  'PUT /api/v2/deployments/… 422',
  'POST /api/v2/envs 403',
  'GET /api/v2/deployments/… 404',
];

/** Commands that may print nothing: they list problems and refusals, of which there may be none. */
const mayBeEmpty = ['deployments?health=Degraded', 'select(.metadata.cause)', 'audit-events?result=denied'];

/** Expected output by the start of the command; one that is repeated has to match at least once. */
const said: Record<string, RegExp> = {
  'berth login': /signed in to http:\S+ as user ada@example\.test/,
  'berth deploy second -e demo --chart HelloWeb@1.2.0 --wait-for-chart': /^task\/[^]*^-- Done$/m,
  'berth deploy second -e demo --chart HelloWeb@1.2.0 --set replicas=3 --plan': /~ change +Deployment/,
  'berth rollback': /^-- Done$/m,
  'berth restart': /^-- Done$/m,
  'berth why first': /^[a-z_]+ /m,
  'berth get deployments --filter': /^helloweb-second$/m,
  'berth delete': /by task/,
  'api "$BERTH/api/v2/auth/me" | jq': /"is_admin": true/,
  'api -X DELETE "$BERTH/api/v2/user-tokens/$ID"': /^204$/,
  'api -N "$BERTH/api/v2/deployment-tasks/$(newest_task)/log?follow=true"': /^-- Done$/m,
  'api -N "$BERTH/api/v2/deployment-tasks/$(task_ids)/log?follow=true"': /^-- Done$/m,
  'api "$BERTH/api/v2/secrets/$SECRET/impact"': /^\{"name":"first","namespace":"helloweb-first"\}$/,
  'api "$BERTH/api/v2/envs/$ENV/impact"': /"name":"first"[^]*"name":"hello"|"name":"hello"[^]*"name":"first"/,
  'api "$BERTH/api/v2/deployment-tasks/$TASK" |': /"Canceled",\s+"reason": ".*wrong label/,
  'api "$BERTH/api/v2/deployment-tasks/$STUCK/why"': /"kind":"[a-z_]+","object":\{/,
  'api "$BERTH/api/v2/deployments/$DEPLOYMENT/why"': /^[a-z_]+: .+$/m,
  'api "$BERTH/api/v2/deployment-tasks/$STUCK" |': /"Canceled",\s+"reason": "superseded by task [0-9a-f-]{36}"/,
  'as_deployment "$(creds server_url)/api/v2/auth/me"': /^\{"Deployment":/,
  'api "$BERTH/api/v2/deployment-tasks?deployment_id=$DEPLOYMENT&sort': /"Uninstall": \{\}[^]*"Done"/,
};

/** A shell command of the guide, and what it printed. */
interface Ran {
  command: string;
  printed: string;
}

if (missing.length > 0) {
  const install = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  process.stderr.write(`left out: the commands of docs/users.md, since programs are missing here: ${install}\n`);
}

describe.skipIf(missing.length > 0)('docs/users.md, run in order on the platform of npm start', () => {
  let platform: Platform;
  let folder: string;
  let ended: { code: number; ran: Ran[] };
  let commands: string[];

  beforeAll(async () => {
    platform = await startPlatform();
    const { admin } = platform;
    const hello = await createHello(admin, await platform.sample('demo'), 'hello');
    await waitForRunning(admin, hello.id);
    folder = await checkoutOfReader();
    commands = await commandsOfGuide();
    ended = await runAll(commands, AbortSignal.timeout(420_000));
  }, 480_000);
  afterAll(async () => {
    await platform?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('every command ends without an error', () => {
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.ran.map(({ command }) => command)).toEqual(commands);
  });

  test('every answer with an error is one that the guide announces', async () => {
    expect([...new Set(await answersOfCurl())].filter((answer) => / [45]\d\d$/.test(answer)).toSorted()).toEqual(
      refused.toSorted(),
    );
  });

  test('curl itself never fails', async () => {
    const failures = (await traces()).flatMap((trace) => trace.match(/^curl: .+$/gm) ?? []);

    expect(failures).toEqual([]);
  });

  test('every command that should print something does', () => {
    const empty = ended.ran.filter(({ command, printed }) => printsSomething(command) && isEmpty(printed));

    expect(empty.map(({ command }) => command)).toEqual([]);
  });

  test('the commands print what the guide says', () => {
    const wrong = Object.entries(said).flatMap(([start, pattern]) => {
      const found = ended.ran.filter(({ command }) => command.startsWith(start));
      if (found.some(({ printed }) => pattern.test(printed.trim()))) return [];
      return [{ start, printed: found.map(({ printed }) => printed) }];
    });

    expect(wrong).toEqual([]);
    const tokens = ended.ran.filter(({ command }) => command === 'token').map(({ printed }) => printed.trim());
    expect(tokens).toEqual(['swordfish', 'marlin']);
  });

  /** A folder that has the files of a checkout after `npm start`, and the reader's programs. */
  async function checkoutOfReader(): Promise<string> {
    const { stack } = platform;
    const made = await mkdtemp(join(tmpdir(), 'berth-users-guide-'));
    for (const name of ['.berth', 'bin', 'traces', 'tmp']) await mkdir(join(made, name));
    await symlink(stack.stateFolder, join(made, '.berth/state'));
    await symlink(join(root, 'packages'), join(made, 'packages'));
    await symlink(stack.tools.helm, join(made, 'bin/helm'));
    // Keeps each request and status; what the reader sees stays as it is.
    const curl = `#!/bin/bash\nexec ${whereIs('curl')} -v "$@" 2> "${made}/traces/$(date +%s%N)-$$"\n`;
    await writeFile(join(made, 'bin/curl'), curl, { mode: 0o755 });
    // `npx --offline berth` of a checkout, as a package (`tests/clients/packaged-cli.ts` runs npx itself).
    await buildCli(join(made, 'cli'));
    const npx = `#!/bin/bash\nshift 2\nexec ${process.execPath} ${join(made, 'cli/berth.js')} "$@"\n`;
    await writeFile(join(made, 'bin/npx'), npx, { mode: 0o755 });
    return made;
  }

  /** Runs the commands in one shell that stops at the first failure, and at a variable without a value. */
  function runAll(all: readonly string[], signal: AbortSignal): Promise<typeof ended> {
    const script = all.map((command, at) => `printf '\\036%s\\n' ${at}\n${command}\n${checkOfVariable(command)}`);
    const args = ['-o', 'errexit', '-o', 'nounset', '-c', ['exec 2>&1', ...script].join('\n')];
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
    };
    return new Promise((resolve) => {
      execFile('bash', args, { cwd: folder, env, signal, maxBuffer: 64 * 1024 ** 2 }, (error, stdout) => {
        const ran = stdout
          .split('\x1e')
          .slice(1)
          .map((part) => {
            const [at = '', ...lines] = part.split('\n');
            return { command: all[Number(at)] ?? '', printed: lines.join('\n') };
          });
        resolve({ code: error ? Number(error.code ?? -1) : 0, ran });
      });
    });
  }

  async function traces(): Promise<string[]> {
    const files = (await readdir(join(folder, 'traces'))).toSorted();
    return Promise.all(files.map((file) => readFile(join(folder, 'traces', file), 'utf8')));
  }

  async function answersOfCurl(): Promise<string[]> {
    const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g;
    return (await traces()).flatMap((trace) => {
      const [, request = ''] = /^> (\S+ \S+) HTTP/m.exec(trace) ?? [];
      const [, status] = /^< HTTP\/1\.1 (\d+)/m.exec(trace) ?? [];
      return status ? [`${request.replaceAll(ids, '…')} ${status}`] : [];
    });
  }
});

/** Each complete command of the guide's blocks; a block may have several, and a command several lines. */
async function commandsOfGuide(): Promise<string[]> {
  const text = await readFile(join(root, 'docs/users.md'), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => {
    const commands: string[] = [];
    let begun = '';
    for (const line of block.trimEnd().split('\n')) {
      begun += begun === '' ? line : `\n${line}`;
      if (begun.trim() === '' || !isComplete(begun)) continue;
      commands.push(begun.trim());
      begun = '';
    }
    if (begun.trim() !== '') throw new Error(`not a shell command: ${begun}`);
    return commands;
  });
}

const isComplete = (text: string): boolean =>
  !text.endsWith('\\') && spawnSync('bash', ['-n', '-c', text]).status === 0;

/** A variable that the guide takes from an answer has a value: jq prints "null" for what is missing. */
function checkOfVariable(command: string): string {
  const [, name] = /^(?:until )?([A-Z]+)=\$\(/.exec(command) ?? [];
  return name ? `[ -n "$${name}" ] && [ "$${name}" != null ] || { echo "${name} has no value"; exit 90; }\n` : '';
}

const silent = /^([A-Z]+=|\w+\(\) |until |wait_for |sleep |wait$|cp )|> "\$WORK\/\S+|&$/;

const printsSomething = (command: string): boolean =>
  !silent.test(command) && !mayBeEmpty.some((part) => command.includes(part));

const isEmpty = (printed: string): boolean => /^(null|\{\s*\}|\[\s*\]|\s*)$/.test(printed.trim());

const whereIs = (program: string): string => spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
