import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { commandOf, watchedProcesses } from './watched-processes.ts';

test('the command of a long-running process is read seldom, that of a shell and of what it becomes each time', async () => {
  const shell = spawn('sh', ['-c', 'read line; exec tail -f /dev/null'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(shell, 'exit');
  const [watched, own] = [String(shell.pid), String(process.pid)];
  const due = watchedProcesses();
  const timesOf = (reads: number) => {
    let [shells, owns] = [0, 0];
    for (let n = 0; n < reads; n += 1) {
      const pids = due();
      if (pids.includes(watched)) shells += 1;
      if (pids.includes(own)) owns += 1;
    }
    return { shells, owns };
  };

  await expect.poll(() => commandOf(watched)).toContain('-c');
  timesOf(20);
  expect(timesOf(40)).toEqual({ shells: 40, owns: 2 });
  shell.stdin.end('\n');
  await expect.poll(() => commandOf(watched)).toContain('tail');
  expect(timesOf(1)).toMatchObject({ shells: 1 });

  shell.kill();
  await ended;
});
