import type { JsonValue } from '@berth/client';
import { harmless } from '../../text/harmless.ts';
import { table } from '../../output/table.ts';
import type { FieldChange } from './changed-fields.ts';
import type { SetPlan, Step } from './step.ts';

const signs = { create: '+', change: '~', delete: '-', blocked: '!', keep: '=' } as const;
const mostShown = 60;

export const differs = ({ action }: Pick<Step, 'action'>): boolean => action !== 'keep';

/** What a plan would do: a line for each row with its changed fields below, then the sum. */
export function planLines({ steps, forgotten }: SetPlan, { isUnicode = true } = {}): string[] {
  const different = steps.filter(differs);
  const rows = table(different.map(({ key, action, reason }) => [`${signs[action]} ${action}`, key, reason ?? '']));
  return [
    ...different.flatMap(({ fields, action }, at) => [
      rows[at] ?? '',
      ...(action === 'change' ? fields.map((field) => fieldLine(field, isUnicode)) : []),
    ]),
    ...forgotten.map((key) => harmless(`= ${key} is gone or was renamed: it no longer belongs to the set`)),
    sumOf(steps),
  ];
}

function fieldLine({ path, from, to, isHidden }: FieldChange, isUnicode: boolean): string {
  const [arrow, ellipsis] = isUnicode ? ['→', '…'] : ['->', '...'];
  return harmless(
    `    ${path}${isHidden ? ' (hidden)' : `: ${shown(from, ellipsis)} ${arrow} ${shown(to, ellipsis)}`}`,
  );
}

function shown(value: JsonValue | undefined, ellipsis: string): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}${ellipsis}`;
}

function sumOf(steps: readonly Step[]): string {
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length;
  const parts = (['create', 'change', 'delete', 'blocked'] as const).map((action) => `${count(action)} to ${action}`);
  const words = parts.map((part) => part.replace('to blocked', 'blocked'));
  return `${words.join(', ')}, ${count('keep')} unchanged`;
}
