import { readFile } from 'node:fs/promises';
import { type KubernetesServer, kubernetesTools, startKubernetes } from '@berth/devstack';
import { serverStart, toolsForTest } from '@berth/devstack/testing/with-servers';
import { type KubeAccess, kubeAccessOf } from '@berth/kube/kube-access';
import { parseKubeconfig } from '@berth/kube/kubeconfig';

export interface ClusterInTest extends AsyncDisposable {
  readonly server: KubernetesServer;
  readonly access: KubeAccess;
  stop(): Promise<void>;
  /** Restarts it at the same address, with the same data. */
  start(): Promise<void>;
}

/** A real control plane with simulated nodes, for one test file. */
export async function startClusterInTest(): Promise<ClusterInTest> {
  const tools = await toolsForTest(...kubernetesTools);
  const stack = new AsyncDisposableStack();
  const place = stack.use(await serverStart());
  const start = () => startKubernetes({ ...place, tools, durable: false, signal: AbortSignal.timeout(180_000) });
  let server = await start();
  stack.defer(() => server.stop());

  return {
    get server() {
      return server;
    },
    access: accessIn(await readFile(server.kubeconfigFile, 'utf8'), server.context),
    stop: () => server.stop(),
    async start() {
      server = await start();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The access in a context of a kubeconfig; throws the reason if it is refused. */
export function accessIn(kubeconfig: string, context: string): KubeAccess {
  const result = kubeAccessOf(parseKubeconfig(kubeconfig), context);
  if ('refused' in result) throw new Error(result.refused);
  return result.access;
}
