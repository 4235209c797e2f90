import { ProblemError, type Problem } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { applyStep, type Doing } from './apply-step.ts';
import type { SetPlan, Step } from '../plan/step.ts';

export interface StepResult {
  step: Step;
  outcome: 'created' | 'changed' | 'deleted' | 'failed' | 'blocked' | 'not done';
  /** Why not; null if it is done. */
  error: unknown;
  taskIds: readonly string[];
}

interface Applying extends Doing {
  /** Whether a row is there by now. */
  isThere: (key: string) => boolean;
  isStopping: () => boolean;
  onDeleted: (key: string) => Promise<void>;
  onResult: (result: StepResult) => void;
}

const outcomes = { create: 'created', change: 'changed', delete: 'deleted' } as const;

/** After these every further step would fail in the same way. */
const hopeless: ReadonlySet<Problem['code']> = new Set([
  'unreachable',
  'unauthenticated',
  'token_revoked',
  'token_expired',
  'user_inactive',
]);

/** Does the steps of a plan in their order. One that fails holds up only those that need its row. */
export async function applySet({ steps }: SetPlan, applying: Applying): Promise<StepResult[]> {
  const results: StepResult[] = [];
  let stopped: unknown = null;
  for (const step of steps) {
    if (step.action === 'keep') continue;
    if (applying.isStopping()) stopped ??= new CliFailure('cancelled', 'stopped by Ctrl-C');
    const result = stopped === null ? await resultOf(step, applying) : notDone(step, stopped);
    if (result.error instanceof ProblemError && hopeless.has(result.error.problem.code)) stopped ??= result.error;
    results.push(result);
    applying.onResult(result);
  }
  return results;
}

async function resultOf(step: Step, applying: Applying): Promise<StepResult> {
  if (step.action === 'blocked')
    return {
      step,
      outcome: 'blocked',
      error: new CliFailure('refused', `${step.key} ${step.reason ?? ''}`),
      taskIds: [],
    };
  const missing = step.needs.find((key) => !applying.isThere(key));
  if (missing !== undefined) return notDone(step, new CliFailure('refused', `needs ${missing}`));
  try {
    const taskIds = await applyStep(step, applying);
    if (step.action === 'delete') await applying.onDeleted(step.key);
    return { step, outcome: step.action === 'keep' ? 'changed' : outcomes[step.action], error: null, taskIds };
  } catch (error) {
    return { step, outcome: 'failed', error, taskIds: [] };
  }
}

const notDone = (step: Step, error: unknown): StepResult => ({ step, outcome: 'not done', error, taskIds: [] });
