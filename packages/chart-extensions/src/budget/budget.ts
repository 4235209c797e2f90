import { AppError } from '@berth/contracts/errors';

export interface Limits {
  /** One operator of a rule, one kilobyte that is compared, one item or member that is copied: two microseconds at most. */
  steps: number;
  /** Written into the values and Secrets of a deployment, as JSON. */
  bytes: number;
}

/**
 * Limits for one pass over one form: its rules, or its outputs. The steps take less than 50 ms, and suffice for the largest
 * config and override that a request may carry. The bytes fit into one answer on the bus with the rest of a claimed task, and
 * hold the largest config, used twice, and the largest override.
 */
export const formLimits: Limits = { steps: 25_000, bytes: 2.5 * 1024 * 1024 };

/**
 * Counts work whose amount a chart's author or a config decides, and stops it at the limit. It runs on the event loop that the
 * requests of all tenants share, so the product of allowed sizes must be bounded.
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
