import { completeRows, namesOf } from './complete-names.ts';

export const deploymentArgument = {
  parse: String,
  brief: 'name or id',
  placeholder: 'deployment',
  proposeCompletions: namesOf('deployments'),
} as const;

/** Of commands about one task. */
export const taskArgument = {
  parse: String,
  brief: 'a deployment, by name or id, or the id of a task',
  placeholder: 'name',
  proposeCompletions: namesOf('deployments'),
} as const;

/** Of commands about rows of any kind. */
export const rowsArgument = {
  kind: 'array',
  minimum: 1,
  parameter: {
    parse: String,
    brief: 'kind and names, or kind/name; berth get --help lists the kinds',
    placeholder: 'kind',
    proposeCompletions: completeRows,
  },
} as const;
