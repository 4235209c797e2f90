import { z } from 'zod';
import type { KubeApi } from '../kubernetes/kube-api.ts';
import type { AddressesOf } from '../name-server.ts';
import { ServerFailed } from '../server-failed.ts';

const Service = z.object({ spec: z.object({ clusterIP: z.string().optional() }) });
const Slices = z.object({
  items: z.array(z.object({ endpoints: z.array(z.object({ addresses: z.array(z.string()) })).nullish() })),
});

/**
 * Addresses of `<service>.<namespace>.svc.cluster.local`, read from the API server; for a headless service, those of its pods.
 * Other names do not exist, so queries of pods never leave the machine.
 */
export const addressesOfService =
  (api: Pick<KubeApi, 'get'>): AddressesOf =>
  async (name) => {
    const [, service, namespace] = /^([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(name) ?? [];
    if (service === undefined || namespace === undefined) return undefined;
    const read = async (path: string) => {
      const { status, body } = await api.get(path, AbortSignal.timeout(2_000));
      if (status !== 200 && status !== 404) throw new ServerFailed(`the API server answered ${status} to GET ${path}`);
      return status === 200 ? JSON.parse(body) : undefined;
    };
    const found = await read(`/api/v1/namespaces/${namespace}/services/${service}`);
    if (found === undefined) return undefined;
    const { clusterIP } = Service.parse(found).spec;
    if (clusterIP !== undefined && clusterIP !== 'None') return [clusterIP];
    const selector = `labelSelector=kubernetes.io%2Fservice-name%3D${service}`;
    const { items } = Slices.parse(
      await read(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?${selector}`),
    );
    return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
  };
