import { type Client, everyItem, unwrap } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { harmless } from '../../text/harmless.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';

export interface PodLogs {
  /** Empty: every pod. */
  pod: string;
  container?: string | undefined;
  follow?: boolean | undefined;
  previous?: boolean | undefined;
  tail?: number | undefined;
  since?: number | undefined;
}

interface Pod {
  id: string;
  name: string;
}

/** Nobody can read more logs at once, and the platform limits the streams of an identity, which several commands share. */
const mostFollowed = 5;

/** Writes the logs of the pods of a deployment. If there are several pods, each line begins with the name of its pod. */
export async function showPodLogs(cli: Cli, client: Client, deploymentId: string, wanted: PodLogs): Promise<void> {
  if (wanted.previous && wanted.follow) throw new CliFailure('usage', '--previous cannot be combined with --follow');
  const pods = await findPods(client, deploymentId, wanted.pod);
  if (wanted.follow && pods.length > mostFollowed) {
    const names = pods.map(({ name }) => name).join(', ');
    throw new CliFailure('usage', `${pods.length} pods are too many to follow: give one of ${names}`);
  }
  const show = (pod: Pod): Promise<void> => showPodLog(cli, client, pod, { ...wanted, isOneOf: pods.length });
  if (wanted.follow) await Promise.all(pods.map(show));
  else for (const pod of pods) await show(pod);
}

async function findPods({ k8sResources }: Client, deployment_id: string, wanted: string): Promise<Pod[]> {
  const pods: Pod[] = [];
  const query = { deployment_id, kind: 'Pod' };
  for await (const { id, name } of everyItem((after) => k8sResources.list({ query: { ...query, after } }))) {
    pods.push({ id, name });
  }
  if (pods.length === 0) throw new CliFailure('refused', 'the deployment has no pod');
  if (wanted === '') return pods;
  const one = pods.find(({ name }) => name === wanted);
  if (one) return [one];
  throw new CliFailure('refused', `there is no pod ${wanted}; known are: ${pods.map(({ name }) => name).join(', ')}`);
}

async function showPodLog(
  cli: Cli,
  { k8sResources }: Client,
  { id, name }: Pod,
  { container, follow, previous, tail, since, isOneOf }: PodLogs & { isOneOf: number },
): Promise<void> {
  const query = {
    ...(container !== undefined && { container }),
    ...(follow && { follow }),
    ...(previous && { previous }),
    ...(tail !== undefined && { tail_lines: tail }),
    ...(since !== undefined && { since: new Date(Date.now() - since).toISOString() }),
  };
  const prefix = isOneOf > 1 ? `[${name}] ` : '';
  try {
    for await (const line of unwrap(await k8sResources.log({ id, query })).lines()) {
      if (!cli.isOutputRead()) return;
      print(cli, cli.terminals.output ? harmless(prefix + line) : prefix + line);
    }
  } catch (error) {
    // `unwrap` throws what the platform refused; a TypeError is a connection that ended in the middle.
    if (!(error instanceof TypeError)) throw error;
    throw new CliFailure('failed', `the log of ${name} was cut off: the connection ended`, { cause: error });
  }
  if (follow) say(cli, `${prefix}the log has ended`);
}
