import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { explainRefusedWork } from '../manifests/explain-refused-work.ts';
import type { Sides } from './compare-sides.ts';
import type { PlanWork } from './plan-work.ts';

interface ComparePlanDeps {
  work: PlanWork;
  /** The id of the deployment. */
  owner: string;
  signal: AbortSignal;
}

const withinMs = 30_000;

/** Compares both sides in the other process, since many fields are each searched for all secrets. */
export const comparePlan = (sides: Sides, { work, ...limits }: ComparePlanDeps): Promise<DryRunResult> =>
  work.run('compareSides', sides, { ...limits, withinMs }).catch(explainRefusedWork);
