import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 15_000;

/** Processes that were started with, or work on, something below a folder; not this one and not the runner's own workers. */
async function processesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  );
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all(
        ['cmdline', 'environ'].map((file) => contentOf(`/proc/${pid}/${file}`)),
      );
      const isOurs = `${command}${environment}`.includes(folder) && !command?.includes('vitest');
      return isOurs ? [`${pid} ${command?.replaceAll('\0', ' ').slice(0, 200)}`] : [];
    }),
  );
  return found.flat();
}

const contentOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/** What a run of the tests has left behind in its temporary folder or among the processes, in words; empty when nothing. */
export async function leftovers(folder: string): Promise<string[]> {
  const giveUp = performance.now() + patienceMs;
  for (;;) {
    const processes = await processesOf(folder);
    // npm and other tools keep a cache of their own compiled code in whatever folder is the temporary one.
    const files = (await readdir(folder)).filter((name) => name !== 'node-compile-cache');
    const all = [...processes.map((line) => `process ${line}`), ...files.map((name) => `file ${folder}/${name}`)];
    if (all.length === 0 || performance.now() > giveUp) return all;
    await delay(250);
  }
}
