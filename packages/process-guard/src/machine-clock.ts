import { uptime } from 'node:os';

/**
 * Milliseconds on a clock that nobody sets and that is the same for all processes of the machine. On Linux it is
 * CLOCK_BOOTTIME (to 10 ms), which counts the time in which the machine was suspended; CLOCK_MONOTONIC, behind
 * `performance.now()` and timers, stands still in it. Elsewhere there is only the latter. A virtual machine that its host pauses
 * has no clock at all that goes on: such a one learns of the lost time only by asking somebody outside.
 */
export const machineMs: () => number =
  process.platform === 'linux' ? () => uptime() * 1_000 : () => Number(process.hrtime.bigint() / 1_000_000n);
