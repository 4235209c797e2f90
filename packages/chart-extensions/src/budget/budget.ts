import { AppError } from '@berth/contracts/errors';

export interface Limits {
  /** A step is one operator of a rule, one compared kilobyte, or one copied item or member: at most two microseconds. */
  steps: number;
  /** The size as JSON of the values and Secrets that are written. */
  bytes: number;
}

/**
 * Limits for one pass over a form: its rules, or its outputs. The steps take less than 50 ms and are enough for the largest
 * config and override of a request. The bytes leave room for the rest of a claimed task in one answer, and are enough for the
 * largest config, used twice, and the largest override.
 */
export const formLimits: Limits = { steps: 25_000, bytes: 2.5 * 1024 * 1024 };

/**
 * Counts work whose amount depends on a chart's author or a config, and stops it at the limit. The requests of all tenants share
 * the event loop, so the product of the permitted sizes must be limited, too.
 */
export class Budget {
  readonly #limits: Limits;
  #steps = 0;
  #bytes = 0;

  constructor(limits: Limits = formLimits) {
    this.#limits = limits;
  }

  get spent(): Limits {
    return { steps: this.#steps, bytes: this.#bytes };
  }

  step(count = 1): void {
    this.#steps += count;
    if (this.#steps <= this.#limits.steps) return;
    throw new AppError(
      'unprocessable',
      `The rules and outputs of the chart take more than ${this.#limits.steps} steps with this config`,
    );
  }

  write(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limits.bytes) return;
    throw new AppError(
      'unprocessable',
      `The values and Secrets of the deployment would be larger than ${this.#limits.bytes} bytes`,
    );
  }
}
