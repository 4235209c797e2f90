import { createUntrustedWork, type UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import type { KubeconfigJobs } from './kubeconfig-process.ts';

/** Reads kubeconfigs that were not written by the operator. One process is enough, since they rarely change. */
export const kubeconfigWork = (): UntrustedWork<KubeconfigJobs> =>
  createUntrustedWork({ entry: new URL('./kubeconfig-process.ts', import.meta.url), slots: 1 });
