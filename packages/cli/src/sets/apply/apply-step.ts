import { Bug } from '@berth/contracts/errors';
import {
  type Answer,
  type CallOptions,
  type Client,
  type JsonObject,
  ProblemError,
  type Success,
  unwrap,
  waitForTask,
  waitUntil,
} from '@berth/client';
import { isJson, sameJson } from '@berth/contracts/fields/json';
import { CliFailure } from '../../failure/cli-failure.ts';
import { callsOf } from '../../names/calls-of.ts';
import { fieldsOf } from '../plan/changed-fields.ts';
import { type Creating, createRow, managerOf, restAfterCreation } from './create-row.ts';
import type { Step } from '../plan/step.ts';
import { bodyOf } from './row-bodies.ts';
import type { DocumentOf } from '../documents/set-document.ts';
import { resourceOf } from './set-names.ts';

export interface Doing extends Creating {
  /** Tags of the rows that change, read before the plan was shown. */
  etags: ReadonlyMap<string, string>;
  /** How long deletions and installations are waited for. */
  withinMs: number;
  /** Called once a row is there, though the rest of its step may fail. */
  onCreated: (key: string, id: string) => Promise<void>;
}

/** Does a step, and returns the tasks that it queued. */
export async function applyStep(step: Step, doing: Doing): Promise<readonly string[]> {
  if (step.action === 'create') return create(step, doing);
  const id = step.live?.id ?? '';
  if (step.action === 'delete') return remove(step, id, doing);
  if (step.document.kind === 'Role') {
    // A role cannot change.
    await remove(step, id, doing);
    return create(step, doing);
  }
  const body = await bodyOf(step.document, fieldsOf(step.fields), doing, step.fields);
  return (await change(step, { id, body }, doing)).taskIds;
}

async function create({ key, document }: Step, doing: Doing): Promise<readonly string[]> {
  if (document.kind === 'Resource') await waitForManager(document, doing);
  const created = success(await createRow(document, doing));
  const { id } = created.value;
  await doing.onCreated(key, id);
  const rest = await restAfterCreation(document, doing);
  if (Object.keys(rest).length === 0) return created.taskIds;
  const { taskIds } = await change({ key: '', document }, { id, body: rest }, doing);
  return [...created.taskIds, ...taskIds];
}

/** If an answer was lost, the repeat finds another tag and is refused. It counts as done if the row is as wanted. */
async function change(
  { key, document }: Pick<Step, 'key' | 'document'>,
  request: { id: string; body: JsonObject },
  { client, etags, options }: Doing,
): Promise<Success<unknown>> {
  const calls = callsOf(client, { resource: resourceOf[document.kind] });
  const etag = etags.get(key);
  const answer = await calls.update?.(request, { ...options(), repeat: true, ...(etag && { ifMatch: etag }) });
  if (!answer) throw new Bug(`rows of kind ${document.kind} cannot change`);
  if (answer.ok) return answer;
  if (answer.problem.code === 'stale' || answer.problem.code === 'conflict') {
    const row = await calls.get({ id: request.id }, options());
    if (row.ok && Object.entries(request.body).every(([field, value]) => isSame(row.value[field], value))) return row;
  }
  throw new ProblemError(answer.problem);
}

const isSame = (field: unknown, value: JsonObject[string] | undefined): boolean =>
  isJson(field) && sameJson(field, value);

/** Waits until the row is gone, since the rows that it uses can only be deleted after it. */
async function remove({ key, document }: Step, id: string, doing: Doing): Promise<readonly string[]> {
  const { client, options, withinMs } = doing;
  const calls = callsOf(client, { resource: resourceOf[document.kind] });
  const answer = await calls.delete?.({ id }, { ...options(), repeat: true });
  if (!answer) throw new Bug(`rows of kind ${document.kind} cannot be deleted`);
  if (!answer.ok && answer.problem.code !== 'not_found') throw new ProblemError(answer.problem);
  for (const task of answer.ok ? answer.taskIds : []) await requireEnd(client, task, doing);
  const isGone = async (): Promise<boolean> => {
    const row = await calls.get({ id }, options());
    if (!row.ok && row.problem.code !== 'not_found') throw new ProblemError(row.problem);
    return !row.ok || row.value['exists'] === false;
  };
  if (document.kind === 'Deployment' || document.kind === 'Resource')
    await waitUntil(isGone, { what: `${key} to be deleted`, withinMs, ...signalOf(options()) });
  return [];
}

/** A deployment registers the types of its resources when it is installed. */
async function waitForManager(document: DocumentOf<'Resource'>, doing: Doing): Promise<void> {
  const { client } = doing;
  const query = {
    deployment_id: managerOf(document, doing),
    active_only: true,
    show_future: false,
    per_page: 100,
  } as const;
  for (const { id } of unwrap(await client.deploymentTasks.list({ query }, doing.options())).items)
    await requireEnd(client, id, doing);
}

async function requireEnd(client: Client, id: string, { withinMs, options }: Doing): Promise<void> {
  const { status, reason } = await waitForTask(client, id, { withinMs, ...signalOf(options()) });
  if (status !== 'Done') throw new CliFailure('failed', `task ${id} is ${status}: ${reason ?? 'without a reason'}`);
}

const signalOf = ({ signal }: CallOptions): { signal?: AbortSignal } => (signal ? { signal } : {});

function success<T>(answer: Answer<T>): Success<T> {
  if (!answer.ok) throw new ProblemError(answer.problem);
  return answer;
}
