import { cpus, loadavg } from 'node:os';

/** The load before a measurement, since results from a busy machine mean little. */
export const loadOfMachine = (): string =>
  `load ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')} on ${cpus().length} cores`;
