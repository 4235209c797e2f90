import { createUntrustedWork, type UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import type { PlanJobs } from './plan-jobs-process.ts';

/** Work on data of charts and tenants, outside of the process that renews claims. */
export type PlanWork = UntrustedWork<PlanJobs>;

export const createPlanWork = (): PlanWork =>
  createUntrustedWork<PlanJobs>({ entry: new URL('./plan-jobs-process.ts', import.meta.url), heapMb: 256 });
