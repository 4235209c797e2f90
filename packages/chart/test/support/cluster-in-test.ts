import { readFile } from 'node:fs/promises';
import { kubernetesTools, startKubernetes } from '@berth/devstack';
import { serverStart, toolsForTest } from '@berth/devstack/testing/with-servers';
import { kubeAccessOf } from '@berth/kube/kube-access';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { parseKubeconfig } from '@berth/kube/kubeconfig';

export interface ClusterInTest extends AsyncDisposable {
  readonly api: KubeApi;
  readonly kubeconfigFile: string;
}

/** A real control plane with simulated nodes, for one test file. */
export async function startClusterInTest(): Promise<ClusterInTest> {
  const tools = await toolsForTest(...kubernetesTools);
  const stack = new AsyncDisposableStack();
  const start = stack.use(await serverStart());
  const { kubeconfigFile, context } = await startKubernetes({ ...start, tools, durable: false });
  const result = kubeAccessOf(parseKubeconfig(await readFile(kubeconfigFile, 'utf8')), context);
  if ('refused' in result) throw new Error(result.refused);
  const api = stack.use(openKubeApi(result.access));
  return { api, kubeconfigFile, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
