import { randomUUID } from 'node:crypto';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type Deployment, deployments, type NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import { createRow } from '@berth/db/changes/create-row';
import { confirmedCatalogue } from '../projections/confirmed-catalogue.ts';
import type { WritingStore } from '../store/store.ts';
import { originOf } from '../records/origin-of.ts';
import { type DeploymentRecord, publicDeployment } from '../records/deployment-record.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { makeChange } from './make-change.ts';
import { proposeCreation } from './propose-change.ts';

type Context = HandlerContext<typeof deployments.operations.create>;

/** Creates row, references, first task and audit entry in one transaction. */
export const createDeployment =
  (deps: DeploymentsDeps) =>
  async (body: NewDeployment, context: Context): Promise<Deployment> => {
    // The cluster's env decides who may create it and which items it may refer to.
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
  deps: DeploymentsDeps,
  store: WritingStore,
  body: NewDeployment,
  context: Context,
): Promise<Created> {
  const { kind, ...proposed } = await proposeCreation(deps, store, { id: randomUUID(), body, context });
  const { deployment: row } = await makeChange(store, proposed, originOf(context));
  return { id: row.id, row, kind };
}
