import type { Row } from '../../api/reads.ts';
import type { StateWord } from '../../ui/state.tsx';

export type Tracked = Row<'k8sResources'>;

export interface TreeLine {
  resource: Tracked;
  depth: number;
}

type Metadata = Record<string, unknown>;
const objectOf = (value: unknown): Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const parentOf = ({ metadata }: Tracked): unknown => objectOf(objectOf(metadata)['parent'])['resource_id'];

/** The kinds that people look for first; the others follow by name. */
const order = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicaSet', 'Pod', 'Service', 'Ingress'];
const rank = ({ kind }: Tracked): number => (order.indexOf(kind) + order.length + 1) % (order.length + 1);
const compare = (a: Tracked, b: Tracked): number =>
  rank(a) - rank(b) || a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name);

/** The objects of a deployment below those that own them, as lines from top to bottom. */
export function resourceTree(resources: readonly Tracked[]): TreeLine[] {
  const ids = new Set(resources.map(({ id }) => id));
  const children = Map.groupBy(resources, (resource) => {
    const parent = parentOf(resource);
    return typeof parent === 'string' && ids.has(parent) && parent !== resource.id ? parent : '';
  });
  const lines: TreeLine[] = [];
  const add = (parent: string, depth: number) => {
    for (const resource of (children.get(parent) ?? []).toSorted(compare)) {
      lines.push({ resource, depth });
      add(resource.id, depth + 1);
    }
  };
  add('', 0);
  // Objects that claim to own each other are below nothing.
  const shown = new Set(lines.map(({ resource }) => resource.id));
  return [...lines, ...resources.filter(({ id }) => !shown.has(id)).map((resource) => ({ resource, depth: 0 }))];
}

/** What is shown beside the name of an object: `1/1 ready, 2 restarts`. */
export function detailOf({ metadata }: Tracked): string {
  const summary = objectOf(objectOf(metadata)['summary']);
  const word = (field: string): string => {
    const value = summary[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const restarts = Number(word('restarts'));
  const parts = [
    word('phase') === 'Running' ? '' : word('phase'),
    word('ready') && `${word('ready')} ready`,
    restarts > 0 ? `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : '',
    word('type'),
    word('ports'),
    word('hosts'),
    word('size'),
    word('schedule') && `${word('schedule')}${summary['suspended'] === true ? ', suspended' : ''}`,
    word('node') && `on ${word('node')}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

export const createdAt = ({ metadata }: Tracked): string | null => {
  const time = objectOf(metadata)['creationTimestamp'];
  return typeof time === 'string' ? time : null;
};

/** The state of an object by the colours of its replicas; null if it has none. */
export function stateOfResource({ status_color: colors }: Tracked): StateWord | null {
  if (colors.length === 0) return null;
  const good = colors.filter((color) => color === 'Success').length;
  const count = `${good} of ${colors.length}`;
  if (colors.includes('Danger')) return { tone: 'bad', word: `${count} well` };
  if (colors.includes('Warning')) return { tone: 'warn', word: `${count} well` };
  if (colors.includes('Primary')) return { tone: 'busy', word: `${count} ready` };
  if (colors.includes('Secondary')) return { tone: 'off', word: count };
  return { tone: 'ok', word: colors.length === 1 ? 'ready' : `${count} ready` };
}
