import { visibleEnvs } from '@berth/shared/access/visible-envs';
import type { HandlerContext } from '@berth/shared/bus/bus';
import type { Deployment, deployments, NewDeployment } from '@berth/shared/contracts/deployments';
import { settled } from '../projections/settled.ts';
import type { ReadingStore } from '../store.ts';
import { originOf } from '../tasks/origin-of.ts';
import { queueTasks } from '../tasks/queue-tasks.ts';
import { checkChart, findChart } from './chart.ts';
import { checkConfig } from './check-config.ts';
import { publicDeployment } from './deployment-record.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { deploymentPaths as paths } from './field-paths.ts';
import { findCluster, findKind, findPlace } from './place.ts';
import { plannedTasks } from './planned-tasks.ts';

type Context = HandlerContext<typeof deployments.operations.create>;

/** Row, references, `Install` task and audit entry in one transaction. */
export const createDeployment =
  (deps: DeploymentsDeps) =>
  async (body: NewDeployment, context: Context): Promise<Deployment> => {
    const { cluster, kind } = await settled(() => namedBy(deps.store, body, context), context.signal);
    context.permit({ env_id: cluster.env_id, kind_id: kind.id });
    await settled(() => check(deps, body, context), context.signal);

    const created = await deps.inTransaction(async (store) => {
      const { place, chart, references } = await check(
        { ...deps, store, readers: deps.heldReaders(store) },
        body,
        context,
      );
      const row = await store.deploymentChanges.insert({ ...body, ...place, kind_id: kind.id });
      await store.deploymentChanges.saveReferences(row.id, references);
      const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
      const install = plannedTasks(['Install'], { before: null, after: row, kind: kind.name, reinstallDependents });
      await queueTasks(store, install, originOf(context));
      await store.audit.append({
        by: context,
        action: 'create',
        resource: 'deployments',
        objectId: row.id,
        envId: row.env_id,
        details: { kind: kind.name, name: row.name, namespace: row.namespace, cluster_id: row.cluster_id },
      });
      return row;
    });
    deps.wakeRunners();
    return publicDeployment(created);
  };

async function namedBy(store: ReadingStore, body: NewDeployment, { identity }: Context) {
  const cluster = await findCluster(store.seen, body.cluster_id, {
    visible: visibleEnvs(identity),
    path: paths.cluster_id,
  });
  return { cluster, kind: await findKind(store.seen, body.kind_id, paths.kind_id) };
}

type CheckDeps = Pick<DeploymentsDeps, 'store' | 'reserved' | 'readers'>;

async function check({ store, reserved, readers }: CheckDeps, body: NewDeployment, context: Context) {
  const { cluster, kind } = await namedBy(store, body, context);
  const chart = await findChart(store.seen, body.helm_chart_id, paths);
  checkChart(chart, kind.id, paths);

  const { name, config } = body;
  const { cardinality } = chart.parsedFeatures;
  const place = await findPlace(store.deployments, { id: null, name, kind, cluster, cardinality }, { paths, reserved });
  const { form } = chart;
  const references = await checkConfig(readers, { form, config, envId: place.env_id, at: paths.config });
  return { place, chart, references };
}
