import type { Client } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { type Chart, findChartOf } from '../live/charts.ts';
import type { ContentsSource } from './contents-source.ts';
import type { LiveSet } from '../live/live-set.ts';
import { keyOfReference } from '../documents/row-key.ts';
import type { DocumentKind } from '../documents/set-document.ts';

export const resourceOf = {
  Env: 'envs',
  Bot: 'bots',
  Cluster: 'k8sClusters',
  Member: 'envUserPermissions',
  Role: 'deploymentPermissions',
  Secret: 'secrets',
  Deployment: 'deployments',
  Resource: 'deploymentResources',
} as const satisfies Record<DocumentKind, keyof Client>;

/** Ids for the names in documents: of rows that are there, and of rows that earlier steps have created. */
export interface SetNames {
  idOf(key: string): string;
  idOfReference(env: string, reference: string): string;
  userId(user: string): string;
  kindId(kind: string): string;
  chart(text: string): Chart;
  read: ContentsSource['read'];
}

export function setNames(
  live: LiveSet,
  ids: ReadonlyMap<string, string>,
  { read }: Pick<ContentsSource, 'read'>,
): SetNames {
  const found = <T>(value: T | null | undefined, what: string): T => {
    if (value === undefined || value === null) throw new CliFailure('refused', `there is no ${what}`);
    return value;
  };
  const idOf = (key: string): string => found(ids.get(key), key);
  return {
    idOf,
    idOfReference: (env, reference) => idOf(keyOfReference(env, reference)),
    userId: (user) => found(live.users.get(user), `user ${user}`),
    kindId: (kind) => found(live.kinds.get(kind), `kind ${kind}`),
    chart: (text) => found(findChartOf(live.charts, text), `chart ${text}`),
    read,
  };
}
