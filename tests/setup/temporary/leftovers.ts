import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 15_000;

/** Processes whose command line or environment names a folder, except for this one and the test runner's workers. */
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

/** Files and processes that a test run has left behind, in words: those in its temporary folder, and processes that name it. */
export async function leftovers(folder: string): Promise<string[]> {
  const giveUp = performance.now() + patienceMs;
  for (;;) {
    const processes = await processesOf(folder);
    // npm and other tools cache compiled code in the temporary folder.
    const files = (await readdir(folder)).filter((name) => name !== 'node-compile-cache');
    const all = [...processes.map((line) => `process ${line}`), ...files.map((name) => `file ${folder}/${name}`)];
    if (all.length === 0 || performance.now() > giveUp) return all;
    await delay(250);
  }
}
