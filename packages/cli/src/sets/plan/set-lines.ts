import type { JsonValue } from '@berth/client';
import { harmless } from '../../text/harmless.ts';
import { table } from '../../output/table.ts';
import type { FieldChange } from './changed-fields.ts';
import type { SetPlan, Step } from './step.ts';

const signs = { create: '+', change: '~', delete: '-', blocked: '!', keep: '=' } as const;
const mostShown = 60;

export const differs = ({ action }: Pick<Step, 'action'>): boolean => action !== 'keep';

/** What a plan would do, a row a line with its changed fields below, and the sum. */
export function planLines({ steps, forgotten }: SetPlan): string[] {
  const different = steps.filter(differs);
  const rows = table(different.map(({ key, action, reason }) => [`${signs[action]} ${action}`, key, reason ?? '']));
  return [
    ...different.flatMap(({ fields, action }, at) => [
      rows[at] ?? '',
      ...(action === 'change' ? fields.map(fieldLine) : []),
    ]),
    ...forgotten.map((key) => harmless(`= ${key} is gone or was renamed: it no longer belongs to the set`)),
    sumOf(steps),
  ];
}

const fieldLine = ({ path, from, to, isHidden }: FieldChange): string =>
  harmless(`    ${path}${isHidden ? ' (hidden)' : `: ${shown(from)} → ${shown(to)}`}`);

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`;
}

function sumOf(steps: readonly Step[]): string {
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length;
  const parts = (['create', 'change', 'delete', 'blocked'] as const).map((action) => `${count(action)} to ${action}`);
  const words = parts.map((part) => part.replace('to blocked', 'blocked'));
  return `${words.join(', ')}, ${count('keep')} unchanged`;
}
