import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresBinaries } from './postgres-binaries.ts';
import { type RunAs, waysFor } from './unprivileged-user.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const passwd = 'root:x:0:0:::\nnobody:x:65534:65533:::\npostgres:x:101:104:::\n';

describe('ways not to be root', () => {
  test('are tried from the simplest on, starting with the account for Postgres', () => {
    const ways = waysFor({ uid: 0, gid: 0 }, passwd);

    expect(ways.map(({ prefix }) => prefix[0])).toEqual([undefined, 'setpriv', 'setpriv', 'unshare']);
    expect(ways.map(({ owner }) => owner.uid)).toEqual([101, 101, 101, 0]);
  });

  test('keep the owner of a folder with content', () => {
    const ways = waysFor({ uid: 1000, gid: 1000 }, passwd);

    expect(ways.map(({ owner }) => owner.uid)).toEqual([1000, 1000, 1000]);
  });

  test('use nobody if there is no account for Postgres, and a user namespace if neither account exists', () => {
    const withoutPostgres = passwd.replace('postgres', 'bin');

    expect(waysFor({ uid: 0, gid: 0 }, withoutPostgres)[0]?.user).toEqual({ uid: 65534, gid: 65533 });
    expect(waysFor({ uid: 0, gid: 0 }, '').map(({ prefix }) => prefix[0])).toEqual(['unshare']);
  });
});

describe.runIf(isRoot && process.platform === 'linux')('as root', () => {
  test('include another one if the simple one cannot enter a folder', async () => {
    const [plain, ...others] = waysFor({ uid: 0, gid: 0 }, await readFile('/etc/passwd', 'utf8'));
    if (!plain) throw new Error('there is no plain way');

    await initialiseIn(0o755, plain);
    await expect(initialiseIn(0o700, plain)).rejects.toThrow('Command failed');
    // Machines allow different ones; any of them will do.
    const outcomes = await Promise.allSettled(others.map((way) => initialiseIn(0o700, way)));
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
  });

  test('an ordinary user starts Postgres as itself', async () => {
    const folder = await temporaryFolder(0o755);
    const state = join(folder, 'state');
    await mkdir(state);
    await chown(state, 65534, 65534);

    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', startAndStop(state)], {
      uid: 65534,
      gid: 65534,
      cwd: '/',
      env: {},
    });

    expect(stdout).toContain('postgres ran as 65534');
  });
});

async function initialiseIn(mode: number, { prefix, user, owner }: RunAs): Promise<void> {
  const folder = await temporaryFolder(mode);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  await chown(data, owner.uid, owner.gid);
  const { initdb, env } = await postgresBinaries(join(folder, 'lib'));
  const [command, ...args] = [...prefix, initdb, '--no-sync', '--username=postgres', '--auth=trust', data];
  await run(command, args, { ...user, cwd: '/', env: { PATH: '/usr/bin:/bin', ...env } });
}

async function temporaryFolder(mode: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-user-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, mode);
  return folder;
}

const startAndStop = (stateFolder: string) => `
  import { statSync } from 'node:fs';
  import { startProcessGuard } from ${JSON.stringify(fileURLToPath(import.meta.resolve('@berth/process-guard/process-guard')))};
  import { startPostgres } from ${JSON.stringify(fileURLToPath(new URL('./postgres.ts', import.meta.url)))};
  const guard = startProcessGuard();
  const stateFolder = ${JSON.stringify(stateFolder)};
  const postgres = await startPostgres({ stateFolder, guard, signal: AbortSignal.timeout(180_000), durable: false });
  console.log('postgres ran as', statSync('/proc/' + postgres.pid).uid);
  await postgres.stop();
  await guard.close();
`;
