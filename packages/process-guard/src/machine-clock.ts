import { uptime } from 'node:os';

/**
 * Milliseconds on a monotonic clock shared by all processes of the machine. On Linux it is CLOCK_BOOTTIME (to 10 ms), which
 * counts the time the machine was suspended; CLOCK_MONOTONIC, behind `performance.now()` and timers, does not. Elsewhere only
 * the latter exists. While a host pauses a virtual machine, all its clocks stop: only an outside source knows the lost time.
 */
export const machineMs: () => number =
  process.platform === 'linux' ? () => uptime() * 1_000 : () => Number(process.hrtime.bigint() / 1_000_000n);
