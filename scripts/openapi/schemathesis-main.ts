import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from '@berth/devstack';
import { type Fixtures, withOwnPlatform } from '@berth/devstack/testing/own-platform';

/** The release to which the options below belong. */
const release = 'schemathesis==4.32.5';
const howToGetIt = `    schemathesis is a Python program, and there is no python3 here. Get Python 3.10 or newer from your system
    (apt-get install python3 python3-venv, brew install python) or from https://www.python.org/downloads, and run this again.
    Without it: tests/fuzz.test.ts makes its requests from the same contracts.`;

const say = (line: string) => process.stdout.write(`${line}\n`);

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
].join(',');

/** A stream stays open, and the revocation would end the token that all requests use. */
const notTried = ['events.stream', 'user_tokens.delete'];

/** An independent check of the document and the answers: makes requests from the document and compares the answers with it. */
async function schemathesis(stack: Stack, { token }: Fixtures): Promise<void> {
  say(`\n${release} against ${stack.url}/api/v2/openapi.json`);
  const program = await installed();
  if (program === null) {
    say(howToGetIt);
    return;
  }

  const options = {
    checks,
    'max-examples': process.env['SCHEMATHESIS_EXAMPLES'] ?? '20',
    seed: process.env['SCHEMATHESIS_SEED'] ?? '1',
    phases: 'examples,coverage,fuzzing',
    'request-timeout': '40',
    workers: '2',
  };
  const leftOut = notTried.map((operation) => ['exclude-operation-id', operation] as const);
  const given = [...Object.entries(options), ...leftOut].flatMap(([name, value]) => [`--${name}`, value]);
  const folder = await mkdtemp(join(tmpdir(), 'berth-schemathesis-'));
  try {
    // Other users can read arguments but not this file.
    const config = join(folder, 'schemathesis.toml');
    await writeFile(config, `[headers]\nx-service-token = ${JSON.stringify(token)}\n`, { mode: 0o600 });
    const args = [
      '--config-file',
      config,
      'run',
      `${stack.url}/api/v2/openapi.json`,
      ...given,
      '--continue-on-failure',
    ];
    const code = await run(program, args, { folder });
    say(code === 0 ? '    no violation' : `    it ended with ${code}: see above`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The program in its own environment; null if there is no Python. */
async function installed(): Promise<string | null> {
  const folder = join(homedir(), '.cache', 'berth', release.replace('==', '-'));
  const program = join(folder, 'bin', 'st');
  if (existsSync(program)) return program;
  if ((await run('python3', ['-c', 'import venv'], { output: () => undefined })) !== 0) return null;

  say(`    installing it into ${folder}`);
  for (const [command, args] of [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', release]],
  ] as const) {
    if ((await run(command, args)) !== 0) throw new Error(`${release} could not be installed from PyPI`);
  }
  return program;
}

interface Running {
  output?: (line: string) => void;
  /** The folder for its findings. */
  folder?: string;
}

/** The exit code; 127 if the program does not exist. */
function run(
  command: string,
  args: readonly string[],
  { output = say, folder = tmpdir() }: Running = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        for (const line of part.toString().trimEnd().split('\n')) output(`    ${line}`);
      });
    }
    child.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(127) : reject(error)));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

// No limit, because it sends many requests as one identity.
const overrides = { 'api-gateway': { REQUESTS_PER_MINUTE: '0', ANONYMOUS_REQUESTS_PER_MINUTE: '0' } };
await withOwnPlatform({ name: 'schemathesis', overrides, say }, schemathesis);
