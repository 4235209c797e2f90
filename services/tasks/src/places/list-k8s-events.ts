import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { Bus } from '@berth/bus/bus';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type K8sEventPage, type K8sEventQuery, k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { TextsOfDeployment } from '@berth/contracts/resources/deployments/shown-texts';
import { AppError, found } from '@berth/contracts/errors';
import { placeOf } from '../engine/deployments/place-of.ts';
import type { ReadingStore } from '../store/store.ts';

export interface ListK8sEventsDeps {
  store: Pick<ReadingStore, 'deployments' | 'projected'>;
  bus: Pick<Bus, 'call'>;
  /** Without the secrets of the deployment. */
  redactTexts: (texts: TextsOfDeployment) => Promise<TextsOfDeployment>;
}

type Context = Pick<
  HandlerContext<typeof deployments.operations.get>,
  'identity' | 'identityToken' | 'requestId' | 'remainingMs'
>;

/**
 * The Kubernetes events of a deployment, read from the cluster by `cluster-sync`. Secrets are redacted, since a message may quote a
 * field that a chart put one into, such as the URL of a probe.
 */
export const listK8sEvents =
  ({ store, bus, redactTexts }: ListK8sEventsDeps) =>
  async (
    id: string,
    query: K8sEventQuery,
    { identity, identityToken, requestId, remainingMs }: Context,
  ): Promise<K8sEventPage> => {
    const visible = found(await store.deployments.find(id, visibleEnvs(identity)), deployments.singular);
    const record = found(await store.deployments.record(visible.id), deployments.singular);
    const body = { deployment_id: id, ...placeOf(record), query };
    const caller = { identityToken, requestId, deadlineMs: remainingMs() };
    const page = await bus.call(k8sEvents.operations.list, { body }, caller).catch(async (error: unknown) => {
      const isOwn = (await store.projected.envOfCluster(body.cluster_id)) === record.env_id;
      throw isOwn ? error : withoutName(error);
    });
    const texts = {
      deployment_id: id,
      names: page.items.map(({ object }) => object.name),
      messages: page.items.map(({ message }) => message),
    };
    const { names, messages } = await redactTexts(texts);
    const items = page.items.map((event, index) => ({
      ...event,
      message: messages[index] ?? '',
      object: { ...event.object, name: names[index] ?? '' },
    }));
    return { ...page, items };
  };

/** Refusals name the cluster, which may belong to an env that the reader does not see: the deployment is about to leave it. */
function withoutName(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, retryAfterSeconds } = error;
  const words = 'The cluster of another env where the deployment is installed cannot be read now';
  return new AppError(code, words, { cause: error, retryAfterSeconds });
}
