import { uptime } from 'node:os';

/**
 * Milliseconds on a monotonic clock that all processes of the machine share. On Linux this is CLOCK_BOOTTIME (to 10 ms), which
 * includes suspended time; CLOCK_MONOTONIC, used by `performance.now()` and timers, does not, but other systems have only that.
 * While a host pauses a virtual machine, all its clocks stop, so only an outside source knows the lost time.
 */
export const machineMs: () => number =
  process.platform === 'linux' ? () => uptime() * 1_000 : () => Number(process.hrtime.bigint() / 1_000_000n);
