import { Bug } from '@berth/contracts/errors';
import type { Registry } from 'prom-client';
import { withinMs } from '../waiting/within-ms.ts';

type Check = () => boolean | Promise<boolean>;

export interface HealthReport {
  ok: boolean;
  checks: Record<string, boolean>;
}

const patienceMs = 1_000;

/** The checks of a service. A check fails if it throws or takes longer than a second. */
export class Health {
  readonly #liveness = new Map<string, Check>();
  readonly #readiness = new Map<string, Check>();
  #started = false;
  #stopping = false;
  readonly metrics: Registry;

  constructor(metrics: Registry) {
    this.metrics = metrics;
    this.#readiness.set('started', () => this.#started && !this.#stopping);
  }

  liveness(name: string, check: Check): void {
    add(this.#liveness, name, check);
  }

  readiness(name: string, check: Check): void {
    add(this.#readiness, name, check);
  }

  started(): void {
    this.#started = true;
  }

  stopping(): void {
    this.#stopping = true;
  }

  isAlive(): Promise<HealthReport> {
    return report(this.#liveness);
  }

  isReady(): Promise<HealthReport> {
    return report(this.#readiness);
  }
}

function add(checks: Map<string, Check>, name: string, check: Check): void {
  if (checks.has(name)) throw new Bug(`there is a health check ${name} already`);
  checks.set(name, check);
}

async function report(checks: Map<string, Check>): Promise<HealthReport> {
  const results = await Promise.all([...checks].map(async ([name, check]) => [name, await passes(check)] as const));
  return { ok: results.every(([, passed]) => passed), checks: Object.fromEntries(results) };
}

async function passes(check: Check): Promise<boolean> {
  try {
    return (await withinMs(patienceMs, Promise.resolve(check()))) ?? false;
  } catch {
    return false;
  }
}
