import { silentLog } from '@berth/testing/test-bus';
import { expect, onTestFinished, test } from 'vitest';
import { oneLane } from './lanes.ts';
import { type Work, workLoop } from './work-loop.ts';

interface Job {
  name: string;
  end: PromiseWithResolvers<void>;
}
const job = (name: string): Job => ({ name, end: Promise.withResolvers<void>() });

/** Claims jobs only when it is woken, unless `pollMs` is given. */
function start(due: Job[], kind: Partial<Work<'all', Job, string>> = {}) {
  const stopping = new AbortController();
  const begun: string[] = [];
  let wake = () => {};
  const ended = workLoop<'all', Job, string>({
    what: 'jobs',
    log: silentLog,
    lanes: oneLane(2),
    mostClaimed: 1,
    pollMs: 60_000,
    onHint: (onHint) => void (wake = onHint),
    claim: async (_lane, most) => ({ jobs: due.splice(0, most), more: due.length > 0 }),
    work: async ({ name, end }) => {
      begun.push(name);
      await end.promise;
      return name;
    },
    ...kind,
  })(stopping.signal);
  onTestFinished(() => stopping.abort());
  return { begun, hint: () => wake(), stop: () => stopping.abort(), ended };
}

test('jobs are claimed at once while more are due, but not more than there are slots', async () => {
  const [a, b, c] = [job('a'), job('b'), job('c')];
  const { begun } = start([a, b, c]);
  await expect.poll(() => begun).toEqual(['a', 'b']);

  a.end.resolve();

  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
});

test('a hint causes a claim, unless memory is short', async () => {
  const due = [job('a')];
  let hasMemory = false;
  let asked = 0;
  const { begun, hint } = start(due, {
    hasMemory: () => {
      asked += 1;
      return hasMemory;
    },
  });
  await expect.poll(() => asked).toBe(1);
  expect(due).toHaveLength(1);

  hasMemory = true;
  hint();

  await expect.poll(() => begun).toEqual(['a']);
});

test('a job that leaves its slot goes on while others work, as many as may, and further ones keep their slots', async () => {
  const [a, b, c, d] = [job('a'), job('b'), job('c'), job('d')];
  const leaves = new Map<string, () => void>();
  const working: number[] = [];
  const { begun } = start([a, b, c, d], {
    lanes: oneLane(1),
    mostWithoutSlot: 2,
    hasMemory: (others) => working.push(others) > 0,
    work: async ({ name, end }, _signal, leaveSlot) => {
      begun.push(name);
      leaves.set(name, leaveSlot);
      await end.promise;
      return name;
    },
  });
  for (const name of ['a', 'b', 'c']) {
    await expect.poll(() => begun).toContain(name);
    leaves.get(name)?.();
  }
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b', 'c']);

  a.end.resolve();

  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd']);
  expect(new Set(working)).toEqual(new Set([0]));
});

test('a job that throws or a claim that fails does not end the loop or occupy a slot', async () => {
  const due = [job('bad'), job('good')];
  let failures = 1;
  const begun: string[] = [];
  const { hint } = start([], {
    lanes: oneLane(1),
    claim: async (_lane, most) => {
      if (failures-- > 0) throw new Error('away');
      return { jobs: due.splice(0, most) };
    },
    work: async ({ name }) => {
      begun.push(name);
      throw new Error(name);
    },
  });
  await expect.poll(() => failures).toBe(0);

  hint();

  await expect.poll(() => begun).toEqual(['bad', 'good']);
});

test('the loop ends after the jobs that end by themselves', async () => {
  const a = job('a');
  const { begun, stop, ended } = start([a]);
  await expect.poll(() => begun).toEqual(['a']);
  let isOver = false;
  const over = ended.then(() => (isOver = true));

  stop();
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  a.end.resolve();

  await over;
});

test('the end gives back unfinished jobs, jobs claimed ahead, and unreported results', async () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map(job);
  const reporting = Promise.withResolvers<void>();
  const reported: string[][] = [];
  const given: unknown[] = [];
  const { begun, stop, ended } = start([...all], {
    mostClaimed: 4,
    ahead: true,
    report: async (results) => {
      reported.push(results);
      await reporting.promise;
    },
    giveBack: async (jobs, results) => {
      given.push([jobs.map(({ name }) => name), results]);
      for (const { end } of all) end.resolve();
    },
  });
  await expect.poll(() => begun).toEqual(['a', 'b']);
  all[0]?.end.resolve();
  await expect.poll(() => reported).toEqual([['a']]);
  all[1]?.end.resolve();
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd']);

  stop();
  reporting.resolve();
  await ended;

  expect(given).toEqual([[['e', 'c', 'd'], ['b']]]);
});
