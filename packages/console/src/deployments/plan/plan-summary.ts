import type { Client } from '@berth/client';
import type { Tone } from '../../ui/state.tsx';

type Answered<C> = C extends (...given: never[]) => Promise<infer A>
  ? A extends { value: infer T }
    ? T
    : never
  : never;
export type Plan = Answered<Client['deploymentPlans']['of_update']>;
export type PlannedObject = Plan['objects'][number];
type PlannedAction = PlannedObject['action'];

interface ActionWords {
  action: PlannedAction;
  tone: Tone;
  word: string;
  counted: string;
}

/** First what stops the task, then what is lost, then the rest. */
const actionsInOrder: readonly ActionWords[] = [
  { action: 'blocked', tone: 'bad', word: 'Blocked', counted: 'blocked' },
  { action: 'replace', tone: 'bad', word: 'Replace', counted: 'to be replaced' },
  { action: 'delete', tone: 'warn', word: 'Delete', counted: 'deleted' },
  { action: 'change', tone: 'busy', word: 'Change', counted: 'changed' },
  { action: 'create', tone: 'ok', word: 'Create', counted: 'created' },
  { action: 'keep', tone: 'off', word: 'Keep', counted: 'kept' },
];

export interface PlanGroup extends ActionWords {
  objects: PlannedObject[];
}

/** The objects by what happens to them; groups without objects are left out. */
export const groupsOf = ({ objects }: Pick<Plan, 'objects'>): PlanGroup[] =>
  actionsInOrder
    .map((words) => ({ ...words, objects: objects.filter(({ action }) => action === words.action) }))
    .filter((group) => group.objects.length > 0);

/** `1 created · 2 changed · 6 unchanged` */
export function countsOf(plan: Pick<Plan, 'objects' | 'unchanged'>): string {
  const counts = groupsOf(plan).map(({ objects, counted }) => `${objects.length} ${counted}`);
  if (plan.unchanged > 0 || counts.length === 0) counts.push(`${plan.unchanged} unchanged`);
  return counts.join(' · ');
}

export interface Risk {
  tone: 'bad' | 'warn';
  words: string;
  detail: string | null;
}

export const nameOf = ({ kind, name }: { kind: string; name: string }): string => `${kind} ${name}`;

/** Deleting these loses more than the chart could create again. */
const lostWith: Record<string, string> = {
  Namespace: 'with everything in it',
  PersistentVolumeClaim: 'its data may be lost',
  StatefulSet: 'its volumes stay',
  CustomResourceDefinition: 'with every object of its kind',
};

const riskOfObject: Partial<Record<PlannedAction, (object: PlannedObject) => Risk>> = {
  blocked: (object) => ({ tone: 'bad', words: `The task would fail at ${nameOf(object)}`, detail: object.reason }),
  replace: (object) => ({
    tone: 'bad',
    words: `The task would fail at ${nameOf(object)} until that is deleted`,
    detail: object.reason,
  }),
  delete: (object) => ({
    tone: 'warn',
    words: `Deletes ${nameOf(object)}`,
    detail: [lostWith[object.kind], object.reason].filter(Boolean).join('; ') || null,
  }),
};

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** A changed pod template means new pods. */
const restarts = ({ action, kind, fields }: PlannedObject): boolean =>
  action === 'change' && workloads.includes(kind) && fields.some(({ path }) => path.startsWith('/spec/template/'));

/** What may go wrong or be lost, the most important first. */
export function risksOf(plan: Pick<Plan, 'objects' | 'contested'>): Risk[] {
  const ofObjects = groupsOf(plan).flatMap(({ objects, action }) => {
    const riskOf = riskOfObject[action];
    return riskOf ? objects.map(riskOf) : [];
  });
  const taken = plan.contested
    .filter(({ becomes }) => becomes === 'taken_back')
    .map((field): Risk => {
      const values = field.hidden
        ? null
        : `${valueWords(field.live)} in the cluster, ${valueWords(field.chart)} by the chart`;
      const from = field.manager === null ? '' : ` from ${field.manager}`;
      return { tone: 'warn', words: `Takes ${field.path} of ${nameOf(field)} back${from}`, detail: values };
    });
  const restarted = plan.objects.filter(restarts).map(
    (object): Risk => ({
      tone: 'warn',
      words: `Restarts the pods of ${nameOf(object)}`,
      detail: 'the pod template changes',
    }),
  );
  return [...ofObjects, ...taken, ...restarted];
}

/** A value on one line. */
export function valueWords(value: unknown): string {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What was left out of a plan to keep it small; null if nothing was. */
export function cutWords({ objects, fields, values, hooks }: Plan['cut']): string | null {
  const parts = [
    [objects, 'objects'],
    [fields, 'fields'],
    [values, 'values'],
    [hooks, 'hooks'],
  ] as const;
  const cut = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return cut.length === 0 ? null : `Not shown, to keep the plan small: ${cut.join(', ')}.`;
}
