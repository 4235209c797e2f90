import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cpuSecsOf, giveWay, withLimits } from './process-limits.ts';

const run = promisify(execFile);
const limits = { memoryBytes: 64 * 1024 * 1024, cpuSecs: 60 };

async function limited(limit: typeof limits, ...command: string[]) {
  const [program, args] = withLimits(limit, ['/bin/sh', '-c', ...command]);
  return run(program, args).then(
    ({ stdout }) => ({ stdout }),
    ({ code, signal }: { code: number | null; signal: string | null }) => ({ code, signal }),
  );
}

test('a process within its limits receives its arguments unchanged', async () => {
  expect(await limited(limits, 'printf "%s," "$@"', 'sh', '$HOME', 'two words', "it's")).toEqual({
    stdout: "$HOME,two words,it's,",
  });
});

test.runIf(process.platform === 'linux')('the kernel refuses a process memory beyond its limit', async () => {
  const take = 'x=$(head -c 150000000 /dev/zero | tr "\\0" x); echo "has ${#x}"';

  expect(await limited({ ...limits, memoryBytes: 512 * 1024 * 1024 }, take)).toEqual({ stdout: 'has 150000000\n' });
  expect(await limited(limits, take)).not.toHaveProperty('stdout');
});

test.runIf(process.platform === 'linux')('the kernel ends a process that spins', async () => {
  expect(await limited({ ...limits, cpuSecs: 1 }, 'while :; do :; done')).toEqual({ code: null, signal: 'SIGKILL' });
});

test.runIf(process.platform === 'linux')(
  'a process that yields to others is niced and is the first to be killed',
  async () => {
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;

    giveWay(pid);

    expect(getPriority(pid)).toBeGreaterThanOrEqual(10);
    expect(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8')).toBe('1000\n');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(cpuSecsOf(pid)).toBeUndefined();
  },
);

test.runIf(process.platform === 'linux')('the processor time of a process is the time that it has used', () => {
  const used = process.cpuUsage();
  const secs = (used.user + used.system) / 1_000_000;

  // In steps of 10 ms each for user and system time.
  expect(cpuSecsOf(process.pid)).toBeGreaterThan(secs - 0.1);
});
