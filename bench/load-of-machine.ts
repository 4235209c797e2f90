import { cpus, loadavg } from 'node:os';

/** What the machine was busy with before a measurement: figures taken on a busy one mean little. */
export const loadOfMachine = (): string =>
  `load ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')} on ${cpus().length} cores`;
