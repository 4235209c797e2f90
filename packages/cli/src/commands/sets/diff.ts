import { buildCommand } from '@stricli/core';
import { connectionFlags } from '../../connection/connect.ts';
import type { Cli } from '../../terminal/cli.ts';
import { diffSet } from './diff-set.ts';
import { type PlanFlags, planFlags } from './plan-flags.ts';

export const diff = buildCommand<PlanFlags, [], Cli>({
  docs: {
    brief: 'Compare the platform with a folder of documents',
    fullDescription: [
      'Compare the platform with a folder of documents, as `berth apply` would. Nothing is changed. The exit code is 0 if there is nothing to do, and 1 if there is something.',
      '',
      '  berth diff -f envs/prod',
      '  berth diff -f envs/prod --prune',
    ].join('\n'),
  },
  parameters: { flags: { ...connectionFlags, ...planFlags }, aliases: { f: 'from' } },
  func(flags) {
    return diffSet(this, flags);
  },
});
