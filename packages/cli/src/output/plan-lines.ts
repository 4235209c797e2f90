import { counted } from '../text/counted.ts';
import type { DeploymentPlan } from './plan.ts';
import { table } from './table.ts';

const signs = { create: '+', change: '~', replace: '-+', delete: '-', keep: '=', blocked: '!' } as const;

/** What a plan would do, one object on each line. */
export function planLines({ tasks, objects, reinstalls, contested, unchanged }: DeploymentPlan): string[] {
  const rows = objects.map(({ action, kind, namespace, name, fields, reason }) => [
    `${signs[action]} ${action}`,
    `${kind} ${namespace === null ? '' : `${namespace}/`}${name}`,
    reason ?? fields.map(({ path }) => path).join(' '),
  ]);
  return [
    ...table(rows),
    ...contested.map(({ kind, name, path, becomes }) => `! ${becomes} ${kind} ${name} ${path}`),
    [
      counted(tasks.length, 'task'),
      `${counted(reinstalls.length, 'other deployment')} reinstalled`,
      `${counted(unchanged, 'object')} unchanged`,
    ].join(', '),
  ];
}
