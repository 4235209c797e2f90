import { parseKubeconfig, UnusableKubeconfig } from '@berth/kube/kubeconfig';
import { answerWork } from '@berth/untrusted-work/answer-work';
import { clustersOfKubeconfig, type KubeconfigSource } from './clusters-of-kubeconfig.ts';
import type { ReachableCluster } from './cluster-provider.ts';

/** Each context costs a check of its certificates. */
const mostContexts = 500;

/** The process in which `labelled-secrets.ts` reads kubeconfigs. */
const jobs = {
  clustersOf({ text, source }: { text: string; source: KubeconfigSource }): ReachableCluster[] | { unusable: string } {
    try {
      const kubeconfig = parseKubeconfig(text);
      if (kubeconfig.contexts.length <= mostContexts) return clustersOfKubeconfig(kubeconfig, source);
      return { unusable: `the kubeconfig has more than ${mostContexts} contexts` };
    } catch (error) {
      if (error instanceof UnusableKubeconfig) return { unusable: error.message };
      throw error;
    }
  },
};
export type KubeconfigJobs = typeof jobs;

answerWork(jobs);
