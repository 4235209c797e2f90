import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@berth/testing/network/free-port';

const run = promisify(execFile);
const release = 'moto[server,ecr,sqs]==5.2.5';
const cache = join(homedir(), '.cache', 'berth');
const folder = join(cache, 'moto-5.2.5');
const howToGetIt =
  'moto, the stand-in for the APIs of AWS, comes from PyPI: apt-get install --no-install-recommends python3 python3-venv';

export interface MotoServer extends AsyncDisposable {
  /** The address of the APIs of AWS. */
  readonly url: string;
}

/** Installs moto from PyPI into the cache. Other runs may do so at the same time, so it appears there complete. */
async function install(signal: AbortSignal): Promise<void> {
  process.stderr.write(`installing ${release} into ${folder}\n`);
  await mkdir(cache, { recursive: true });
  const prepared = await mkdtemp(`${folder}.`);
  try {
    await run('python3', ['-m', 'venv', prepared], { signal });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', release];
    await run(join(prepared, 'bin', 'python3'), pip, { signal });
    await rename(prepared, folder);
  } catch (cause) {
    await rm(prepared, { recursive: true, force: true });
    if (!existsSync(folder)) throw new Error(howToGetIt, { cause });
  }
}

/** Starts a stand-in for the APIs of AWS, empty. */
export async function startMoto(signal: AbortSignal, port?: number): Promise<MotoServer> {
  if (!existsSync(folder)) await install(signal);
  port ??= await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)];
  const child = spawn(join(folder, 'bin', 'python3'), args, { stdio: 'ignore' });
  const isUp = () =>
    fetch(`${url}/moto-api/data.json`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    signal.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`moto ended with ${child.exitCode}`);
    await sleep(100);
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
