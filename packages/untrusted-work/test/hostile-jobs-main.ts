import { answerWork } from '../src/answer-work.ts';

const cpuMsSince = (before: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** Jobs that behave as real ones do on hostile data. */
const jobs = {
  double: (number: number) => number * 2,
  pid: () => process.pid,
  environment: () => Object.keys(process.env),
  arrays: (count: number) => JSON.parse(`[${'[],'.repeat(count)}[]]`).length,
  map: (count: number) => new Map(Array.from({ length: count }, (_, index) => [index, []])).size,
  manyArrays: (count: number) => Array.from({ length: count }, () => []),
  spin: () => {
    for (;;);
  },
  spinFor: (ms: number) => {
    const before = process.cpuUsage();
    while (cpuMsSince(before) < ms);
  },
  fail: () => {
    throw new TypeError('no such thing');
  },
};

export type HostileJobs = typeof jobs;

answerWork(jobs);
