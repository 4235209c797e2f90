import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@berth/testing/network/free-port';

const run = promisify(execFile);
const release = 'moto[server,ecr]==5.2.5';
const folder = join(homedir(), '.cache', 'berth', 'moto-5.2.5');
const installed = join(folder, 'installed');
const words = 'left out: the tests of ECR, whose stand-in moto is a Python program';

/** What the stand-in lacks, in words; null if it is installed or can be. */
export async function motoIsMissing(): Promise<string | null> {
  if (existsSync(installed)) return null;
  const hasPython = await run('python3', ['-c', 'import venv, ensurepip']).then(
    () => true,
    () => false,
  );
  return hasPython ? null : `${words}: apt-get install --no-install-recommends python3 python3-venv`;
}

export interface MotoServer extends AsyncDisposable {
  /** The address of the APIs of AWS. */
  readonly url: string;
}

/** Starts a stand-in for the APIs of AWS, installed from PyPI into the cache at its first start. */
export async function startMoto(signal: AbortSignal): Promise<MotoServer> {
  if (!existsSync(installed)) {
    process.stderr.write(`installing ${release} into ${folder}\n`);
    await run('python3', ['-m', 'venv', folder], { signal });
    const pip = ['install', '--quiet', '--disable-pip-version-check', release];
    await run(join(folder, 'bin', 'pip'), pip, { signal });
    await run('touch', [installed]);
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(join(folder, 'bin', 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const isUp = () =>
    fetch(`${url}/moto-api/data.json`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    signal.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`moto ended with ${child.exitCode}`);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
