import { completeKinds, completeRows, namesOf } from './complete-names.ts';

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

export const kindArgument = {
  parse: String,
  brief: 'kind, such as deployment; berth get --help lists them',
  placeholder: 'kind',
  proposeCompletions: completeKinds,
} as const;

export const rowArgument = {
  parse: String,
  brief: 'name or id',
  placeholder: 'name',
  proposeCompletions: completeRows,
} as const;
