import type { DeploymentTask } from '@berth/client';
import { spanOf } from '../../ui/age.tsx';
import type { Tone } from '../../ui/state.tsx';
import { readable } from './readable.ts';
import { actorOf, type Names } from './task-words.ts';

export interface Fact {
  kind: string;
  object: { kind: string; id: string | null; name: string | null } | null;
  since: string | null;
  until: string | null;
  message: string;
}

export interface Step {
  tone: Tone;
  words: string;
  /** When it happened; null if it goes on. */
  at: string | null;
  detail: string | null;
  /** The task or the cluster that it is about. */
  about: Fact['object'];
}

/** A delay that people do not notice. */
const noDelayMs = 1_000;

const msBetween = (from: string, to: string): number => Date.parse(to) - Date.parse(from);
const later = (a: string, b: string): string => (msBetween(a, b) > 0 ? b : a);

/** What has happened to a task and what is happening, from the request to the end. */
export function timelineOf(task: DeploymentTask, facts: readonly Fact[], names: Names): Step[] {
  const { created_at, execute_at, first_attempted_at, started_at, finished_at, attempts } = task;
  const step = (tone: Tone, words: string, at: string | null, detail: string | null = null): Step => ({
    tone,
    words,
    at,
    detail,
    about: null,
  });
  const steps = [step('ok', `Requested by ${actorOf(task, names)}`, created_at)];
  if (msBetween(created_at, execute_at) > noDelayMs) steps.push(step('off', 'Scheduled', execute_at));

  const dueAt = later(created_at, execute_at);
  if (first_attempted_at !== null) {
    const waited = msBetween(dueAt, first_attempted_at);
    steps.push(
      step('ok', 'Started', first_attempted_at, waited > noDelayMs ? `after a wait of ${spanOf(waited)}` : null),
    );
  }
  if (started_at !== null && first_attempted_at !== null && msBetween(first_attempted_at, started_at) > noDelayMs) {
    steps.push(step('warn', attempts > 1 ? `Attempt ${attempts} started` : 'Started again', started_at));
  }
  if (finished_at === null) {
    for (const { kind, object, since, message } of facts) {
      // An earlier step says when it is due.
      if (kind !== 'scheduled') steps.push({ ...step('busy', sentence(readable(message)), since), about: object });
    }
    return steps;
  }
  const tries = attempts > 1 ? `${attempts} attempts, ` : '';
  const began = first_attempted_at ?? started_at;
  const took = began === null ? null : `${tries}${tookWords(msBetween(began, finished_at))}`;
  return [...steps, { ...step(endTones[task.status], endWords(task, names), finished_at, took) }];
}

const endTones: Record<DeploymentTask['status'], Tone> = {
  Done: 'ok',
  Failed: 'bad',
  Canceled: 'off',
  Pending: 'busy',
  Started: 'busy',
};

function endWords(task: DeploymentTask, names: Names): string {
  const { status, canceled_by_user_id, canceled_by_deployment_id } = task;
  if (status !== 'Canceled' || (canceled_by_user_id === null && canceled_by_deployment_id === null)) return status;
  const by = { acting_user_id: canceled_by_user_id, acting_deployment_id: canceled_by_deployment_id };
  return `Canceled by ${actorOf(by, names)}`;
}

const tookWords = (ms: number): string => (ms < noDelayMs ? 'took less than 1 s' : `took ${spanOf(ms)}`);

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
