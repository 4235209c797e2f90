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
import { type CreationWanted, type ProposedChange, proposeCreation } from './propose-change.ts';

type Context = HandlerContext<typeof deployments.operations.create>;

/** Compares a proposed deployment with the release that it would adopt; throws if it cannot. Waits for a runner. */
export type CompareRelease = (
  proposed: ProposedChange,
  context: Pick<Context, 'identity' | 'requestId' | 'signal' | 'remainingMs'>,
) => Promise<unknown>;

export interface CreateDeps extends DeploymentsDeps {
  readonly compareRelease: CompareRelease;
}

/** Creates row, references, first task and audit entry in one transaction. */
export const createDeployment =
  (deps: CreateDeps) =>
  async (body: NewDeployment, context: Context): Promise<Deployment> => {
    // The cluster's env decides who may create it and which items it may refer to.
    await deps.confirm.cluster(body.cluster_id, context);
    const id = randomUUID();
    const make = (isCompared: boolean) =>
      createRow(deps.inTransaction, context, deployments, {
        insert: (store) => {
          // Thrown here so that a repeated request gets its first answer instead.
          if (body.adopt && !isCompared) throw new NotCompared();
          return create(deps, store, { id, body, context });
        },
        answer: ({ row }) => publicDeployment(row),
        audited: ({ row: { env_id, name, namespace, cluster_id }, kind }) => ({
          action: 'create',
          objectId: id,
          envId: env_id,
          details: { kind, name, namespace, cluster_id, ...(body.adopt && { adopt: true }) },
        }),
      });
    const compareThenMake = async () => {
      // Outside of a transaction, since it takes seconds.
      await deps.compareRelease(await proposeCreation(deps, deps.store, { id, body, context }), context);
      return make(true);
    };
    const attempt = () =>
      make(false).catch((error: unknown) => {
        if (error instanceof NotCompared) return compareThenMake();
        throw error;
      });
    const created = await confirmedCatalogue(attempt, deps.confirm, context);
    deps.notifyRunners();
    return created;
  };

class NotCompared extends Error {}

interface Created {
  id: string;
  row: DeploymentRecord;
  /** The name of its kind. */
  kind: string;
}

async function create(
  deps: CreateDeps,
  store: WritingStore,
  wanted: CreationWanted & { context: Context },
): Promise<Created> {
  const { kind, ...proposed } = await proposeCreation(deps, store, wanted);
  const { deployment: row } = await makeChange(store, proposed, originOf(wanted.context));
  return { id: row.id, row, kind };
}
