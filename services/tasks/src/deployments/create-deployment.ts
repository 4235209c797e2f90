import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type Deployment, deployments, type NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import { createRow } from '@berth/db/changes/create-row';
import { confirmedCatalogue } from '../projections/confirmed-catalogue.ts';
import type { ReadingStore, WritingStore } from '../store/store.ts';
import type { ItemReaders } from '../collections/find-items.ts';
import type { Reference } from '../records/reference.ts';
import { originOf } from '../records/origin-of.ts';
import { queueTasks } from '../queue/queue-tasks.ts';
import { type Chart, checkChart, findChart } from './chart.ts';
import { checkConfig } from './check-config.ts';
import { type DeploymentRecord, publicDeployment } from '../records/deployment-record.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { deploymentPaths as paths } from '../records/field-paths.ts';
import { findCluster, findKind, findPlace, type Place } from './place.ts';
import { planCreation } from '../engine/operations/plans.ts';
import { plannedTasks } from '../engine/tasks/planned-tasks.ts';

type Context = HandlerContext<typeof deployments.operations.create>;

/** Row, references, first task and audit entry in one transaction. */
export const createDeployment =
  (deps: DeploymentsDeps) =>
  async (body: NewDeployment, context: Context): Promise<Deployment> => {
    // Its env decides who is permitted, and which items the deployment may refer to.
    await deps.confirm.cluster(body.cluster_id, context);
    const created = await confirmedCatalogue(
      () =>
        createRow(deps.inTransaction, context, deployments, {
          insert: (store) => create(deps, store, body, context),
          answer: ({ row }) => publicDeployment(row),
          audited: ({ row: { id, env_id, name, namespace, cluster_id }, kind }) => ({
            action: 'create',
            objectId: id,
            envId: env_id,
            details: { kind, name, namespace, cluster_id },
          }),
        }),
      deps.confirm,
      { helm_chart_id: body.helm_chart_id, kind_id: body.kind_id },
      context,
    );
    deps.notifyRunners();
    return created;
  };

interface Created {
  id: string;
  row: DeploymentRecord;
  /** The name of its kind. */
  kind: string;
}

async function create(
  { heldReaders, reserved }: DeploymentsDeps,
  store: WritingStore,
  body: NewDeployment,
  context: Context,
): Promise<Created> {
  const readers = heldReaders(store);
  const { kind, chart, place, references } = await fitCreation(store, body, { context, reserved, readers });
  const { reinstall_dependencies: reinstallDependents } = chart.parsedFeatures;
  const row = await store.deploymentChanges.insert({ ...body, ...place });
  if (references.length > 0) await store.deploymentChanges.saveReferences(row.id, references);
  const tasks = plannedTasks(planCreation, { before: null, after: row, kind: kind.name, reinstallDependents });
  await queueTasks(store, tasks, originOf(context));
  return { id: row.id, row, kind: kind.name };
}

export interface CreationOptions {
  context: Pick<Context, 'identity' | 'permit'>;
  /** Namespaces that no deployment may take. */
  reserved: readonly string[];
  readers: ItemReaders;
}

/** What a new deployment would be made of; throws where it may not be (403, 422, 409). Writes nothing. */
export async function fitCreation(
  store: Pick<ReadingStore, 'projected' | 'deployments'>,
  { name, config, cluster_id, kind_id, helm_chart_id }: NewDeployment,
  { context, reserved, readers }: CreationOptions,
): Promise<{ kind: { id: string; name: string }; chart: Chart; place: Place; references: Reference[] }> {
  const visible = visibleEnvs(context.identity);
  const cluster = await findCluster(store.projected, cluster_id, { visible, path: paths.cluster_id });
  const kind = await findKind(store.projected, kind_id, paths.kind_id);
  context.permit({ env_id: cluster.env_id, kind_id: kind.id });

  const chart = await findChart(store.projected, helm_chart_id, paths);
  checkChart(chart, kind.id, paths);
  const { form, parsedFeatures } = chart;
  const { cardinality } = parsedFeatures;
  const place = await findPlace(store.deployments, { id: null, name, kind, cluster, cardinality }, { paths, reserved });
  const wanted = { form, config, envId: place.env_id, at: paths.config };
  return { kind, chart, place, references: await checkConfig(readers, wanted) };
}
