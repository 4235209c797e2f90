import { releaseLabels } from '@berth/contracts/fields/kubernetes-names';
import { inSpan } from '@berth/service/trace-context';
import { deployArguments, type HelmFiles } from '../helm/helm-arguments.ts';
import type { TaskCluster } from '../cluster/task-cluster.ts';
import { valuesYaml } from '../files/values-yaml.ts';
import { shownText } from '../log/shown-text.ts';
import {
  ensureCredentials,
  hideCredentials,
  readCredentials,
  ensureUpstreamCredentials,
  restoreUpstreamCredentials,
  writeCredentialsEarly,
} from '../namespace/ensure-credentials.ts';
import { applySecrets, readSecrets } from '../namespace/apply-secrets.ts';
import { foreignNamespace } from '../namespace/enter-namespace.ts';
import { type Observed, observeRelease } from '../release/observe-release.ts';
import { releaseToAdopt } from '../plan/release-to-adopt.ts';
import { permanent, transient } from '../outcome/task-failure.ts';
import { allEnded } from '../waiting/all-ended.ts';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { customObjectsOf, manifestOfTask } from '../rollout/custom-objects.ts';
import { unreadyPods } from '../rollout/explain-pods.ts';
import { readAwaitedOfRelease } from '../rollout/read-awaited.ts';
import { watchWaiting } from '../rollout/watch-waiting.ts';
import type { ManifestFacts, ObjectFacts } from '../manifests/facts-of.ts';
import { readNames } from '../manifests/read-manifests.ts';
import { resolveFields } from '../fields/resolve-fields.ts';
import { awaitRelease } from './await-release.ts';
import { checkRendered } from './check-rendered.ts';
import { createCrds } from './create-crds.ts';
import { nextAction } from './next-action.ts';
import { repairRelease } from './repair-release.ts';
import { runHelm } from './run-helm.ts';
import type { Entering, RunContext } from './run-context.ts';

/** Brings the release to the state that the task describes. Can start again wherever an earlier run was interrupted. */
export async function deploy(run: RunContext, entering: Entering): Promise<void> {
  const { task, log, stop } = run;
  if (!task.chart) throw permanent('The task names no chart');

  // Helm's files are prepared while the namespace is entered.
  const preparing = prepareFiles(run, task.chart);
  const early = writeCredentialsEarly(run);
  try {
    const { state, is_new, cluster } = await inSpan('enter namespace', () => entering);
    if (state === 'foreign') throw foreignNamespace(task);
    if (!cluster) throw transient(`The namespace ${task.namespace} was deleted while the task started`);
    const { client } = cluster;
    const [found, credentials, observed] = await allEnded([
      readSecrets(task, client),
      is_new ? Promise.resolve(null) : readCredentials(task, client),
      is_new ? Promise.resolve(nothingInstalled) : observe(run, client),
    ]);
    const action = nextAction({ action: 'deploy', taskId: task.task_id }, observed);
    if (action === 'adopt') {
      log.say('an earlier attempt of this task has already deployed the release');
      return await awaitDeployed(run, cluster, observed);
    }
    if (action === 'refuse') throw permanent('reason' in observed ? observed.reason : 'The release cannot be read');
    if (action === 'unlock') {
      log.say(
        `the release is ${observed.status}: an earlier run was interrupted; it is set to failed and deployed again`,
      );
      await repairRelease(task, client);
    }
    stop.throwIfAborted();
    // It would work without a slot; the next claim has one.
    if (run.slot.isLeft)
      throw transient('The release was changed by others while the task waited for it to become ready');
    const [files, areWritten] = await allEnded([
      untilAborted(preparing.files(cluster.kubeconfig), stop),
      inSpan('ensure credentials', () => ensureCredentials(run, { found: credentials, early })),
      applySecrets(task, { cluster: client, found }),
    ]);
    // After a release in the state `uninstalled`, Helm counts the next one as a first release again.
    const isFirst = observed.status === 'absent';
    if (isFirst) await inSpan('create definitions', () => createCrds(run, cluster, files));
    await upgrade(run, cluster, {
      files,
      isFirst,
      lastRead: areWritten ? () => hideCredentials(run, client) : undefined,
    });
  } finally {
    // Waits for all writers, since the folder of the task must not be written to after its removal.
    await preparing.written();
  }
}

/** A release that is to be adopted is checked again: it may have changed since it was compared. */
async function observe({ task, stop, deps }: RunContext, client: TaskCluster['client']): Promise<Observed> {
  const { namespace, deployment_id: owner } = task;
  const toAdopt = task.adopts
    ? await releaseToAdopt(namespace, client, { work: deps.work, owner, signal: stop })
    : null;
  return toAdopt ? { status: toAdopt.status, taskId: null, fence: null } : observeRelease(client, namespace);
}

const nothingInstalled: Observed = { status: 'absent' };

/** `written` resolves when all files are written into the folder; it does not wait for the chart. */
function prepareFiles({ task, folder, deps, stop, log }: RunContext, chart: NonNullable<RunContext['task']['chart']>) {
  const writing: Promise<string>[] = [folder.write('values.yaml', valuesYaml(task.values))];
  const archive = deps.charts.path(chart, task);
  const areLocal = archive.then((file) =>
    deps.schemasAreLocal({ chart, file, owner: task.deployment_id, signal: stop }),
  );
  areLocal.catch(() => undefined);
  for (const one of writing) one.catch(() => undefined);
  return {
    files: async (kubeconfig: string): Promise<HelmFiles> => {
      const config = folder.write('kubeconfig', kubeconfig);
      writing.push(config);
      const [values = ''] = await Promise.all(writing);
      const checksValues = await areLocal;
      if (!checksValues) log.say(schemasAreForeign);
      return { kubeconfig: await config, values, chart: await archive, checksValues };
    },
    written: () => Promise.allSettled(writing),
  };
}

const schemasAreForeign =
  'the values are not checked against values.schema.json: Helm would load the files or hosts that it refers to';

interface Upgrade {
  files: HelmFiles;
  /** Nothing of the release is installed. */
  isFirst: boolean;
  lastRead: (() => Promise<void>) | undefined;
}

async function upgrade(run: RunContext, cluster: TaskCluster, { files, isFirst, lastRead }: Upgrade): Promise<void> {
  const { task, deps } = run;
  const labels = { [releaseLabels.task]: task.task_id, [releaseLabels.fence]: String(task.fence) };
  let objects: ObjectFacts[] = [];
  /** The release before had the credentials under their upstream name. */
  let lacksUpstream = false;

  const runOnce = async (waits: boolean, isAgain: boolean) => {
    const command = {
      title: `helm upgrade --install ${task.namespace}, chart version ${task.chart?.version ?? '?'}`,
      args: deployArguments(task, files, { labels, waits }),
      lastRead,
      check: async (manifests: string) => {
        const facts = await checkRendered(run, cluster, manifests);
        ({ objects } = facts);
        const isRemoved = await inSpan('ensure upstream credentials', () =>
          ensureUpstreamCredentials(run, cluster.client, facts.upstreamCredentials),
        );
        lacksUpstream ||= isRemoved;
        const isLate = objects.some(runsAfterReadiness);
        if (task.wait.enabled && isLate !== waits && !(waits && isAgain)) throw new OtherOrder(isLate);
        return isFirst ? null : inSpan('resolve fields', () => resolve(run, cluster, { manifests, objects }));
      },
    };
    await explainedByObjects(run, cluster, () => inSpan('helm upgrade', () => runHelm(run, cluster, command)));
  };

  const digest = task.chart?.digest ?? '';
  const begin = async (waits: boolean, isAgain = false): Promise<boolean> => {
    try {
      await runOnce(waits, isAgain);
      return waits;
    } catch (error) {
      if (!(error instanceof OtherOrder)) {
        if (lacksUpstream) await restoreUpstreamCredentials(run);
        throw error;
      }
      deps.chartsWithLateHooks.set(digest, error.isLate);
      if (error.isLate) run.log.say('the chart has hooks that run once its release is ready, so Helm waits for it');
      return begin(error.isLate, true);
    }
  };
  // Values can add such hooks, so what another deployment of the chart has is a guess, which the check corrects.
  const waited = await begin(task.wait.enabled && deps.chartsWithLateHooks.get(digest) === true);
  if (!task.wait.enabled || waited) return;
  run.helm.hasEnded = true;
  await awaitRelease(run, cluster, { objects: objects.filter(isOfRelease), endedAt: Date.now() });
}

/** Nothing was applied: Helm is started again and waits only if hooks follow on readiness. */
class OtherOrder extends Error {
  readonly isLate: boolean;
  constructor(isLate: boolean) {
    super();
    this.isLate = isLate;
  }
}

const lateHooks = ['post-install', 'post-upgrade'];
const runsAfterReadiness = ({ hookEvents }: ObjectFacts): boolean =>
  hookEvents.some((event) => lateHooks.includes(event));
const isOfRelease = ({ hookEvents }: ObjectFacts): boolean => hookEvents.length === 0;

/** Continues the wait of an earlier claim of this task. */
async function awaitDeployed(run: RunContext, cluster: TaskCluster, observed: Observed): Promise<void> {
  const { task, stop, deps } = run;
  if (!task.wait.enabled) return;
  const stored = await manifestOfTask(cluster.client, task);
  const objects = await readNames(stored?.manifest ?? '', { work: deps.work, owner: task.deployment_id, signal: stop });
  await awaitRelease(run, cluster, { objects, endedAt: ('changedAt' in observed && observed.changedAt) || Date.now() });
}

/** While Helm runs, the task reports what it waits for; a failure to become ready names it. */
async function explainedByObjects(run: RunContext, cluster: TaskCluster, helm: () => Promise<void>): Promise<void> {
  const { task, lease, log, secrets, stop } = run;
  const readCustom = customObjectsOf(task, run.deps.work);
  using waiting = watchWaiting({
    readAwaited: (signal, failure) => {
      const reader = cluster.reader(signal);
      const custom = () => readCustom(reader, signal);
      return readAwaitedOfRelease(reader, task.namespace, { waits: task.wait.enabled, failure, custom });
    },
    lease,
    words: (text) => shownText(text, secrets.texts()),
    stop,
  });
  try {
    await helm();
  } catch (error) {
    if (error instanceof OtherOrder) throw error;
    if (!stop.aborted) for (const line of await unreadyPods(cluster.client, task.namespace)) log.say(line);
    throw await waiting.explain(error);
  }
}

/** The manifests for Helm to apply if others have changed objects of the release; null: as it rendered them. */
const resolve = (
  { task: { namespace, deployment_id: owner, fields }, log, stop: signal, deps: { work } }: RunContext,
  { client }: TaskCluster,
  rendered: { manifests: string; objects: ManifestFacts['objects'] },
): Promise<string | null> => {
  const say = (line: string) => log.say(line);
  return resolveFields({ namespace, ...rendered, keep: fields?.keep ?? [] }, { client, work, owner, signal, say });
};
