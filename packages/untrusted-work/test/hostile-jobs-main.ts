import { answerWork } from '../src/answer-work.ts';

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
  fail: () => {
    throw new TypeError('no such thing');
  },
};

export type HostileJobs = typeof jobs;

answerWork(jobs);
