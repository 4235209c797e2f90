import { createUntrustedWork, type UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import type { KubeconfigJobs } from './kubeconfig-process.ts';

/** Reads kubeconfigs that others than the operator wrote. One process: they change seldom. */
export const kubeconfigWork = (): UntrustedWork<KubeconfigJobs> =>
  createUntrustedWork({ entry: new URL('./kubeconfig-process.ts', import.meta.url), places: 1 });
