import { setTimeout as sleep } from 'node:timers/promises';
import { cutText } from '@berth/contracts/cut-text';
import type { TaskCluster } from '../cluster/task-cluster.ts';
import { logTexts } from '../log/log-texts.ts';
import { permanent, TaskFailure } from '../outcome/task-failure.ts';
import { whoCanGrant } from '../outcome/who-can-grant.ts';
import { type CheckDeps, refusalsOf } from '../manifests/refusals-of.ts';
import type { ManifestFacts } from '../manifests/facts-of.ts';
import { readFacts } from '../manifests/read-manifests.ts';
import type { RunContext } from './run-context.ts';

/** The account may be new, and a cluster learns of new rights only after a moment. */
const tries = 3;
const pauseMs = 1_000;
const namedInReason = 5;

/** Refuses objects that a chart may not have, before anything is applied. The log names each object. */
export async function checkRendered(run: RunContext, cluster: TaskCluster, manifests: string): Promise<ManifestFacts> {
  const { task, stop, deps } = run;
  const facts = await readFacts({ manifests }, { work: deps.work, owner: task.deployment_id, signal: stop });
  const { findKind, mayCreate } = cluster.client;
  const place = { isShared: cluster.isShared, findKind, mayCreate };
  refuseUncertain(run, place, facts);
  await refuse(run, place, facts);
  return facts;
}

/** Line breaks that only Helm's YAML library recognizes. Rendered templates do not contain them, since Helm reformats their YAML. */
const breaksOfGo = /\r(?!\n)|[\u0085\u2028\u2029]/;

interface Crds extends Pick<ManifestFacts, 'objects' | 'unreadable'> {
  /** All files of the folder. */
  text: string;
}

/** The same for the folder crds; what the cluster has already is not refused. */
export async function checkCrds(run: RunContext, place: CheckedIn, { objects, unreadable, text }: Crds): Promise<void> {
  refuseUncertain(run, place, { unreadable: unreadable + (breaksOfGo.test(text) ? 1 : 0) });
  await refuse(run, place, { objects });
}

/** The cluster, as the account that will apply the objects. */
type CheckedIn = CheckDeps & Pick<TaskCluster, 'isShared'>;

function refuseUncertain(
  { log }: RunContext,
  { isShared }: CheckedIn,
  { unreadable }: Pick<ManifestFacts, 'unreadable'>,
): void {
  if (unreadable === 0) return;
  const words = 'The chart renders YAML whose meaning is not certain, such as a key that is given twice';
  if (!isShared) throw permanent(words);
  log.say(`would be refused: ${words}`);
}

async function refuse(
  { task: { namespace, hosts }, log, secrets, stop }: RunContext,
  { isShared, ...client }: CheckedIn,
  facts: Pick<ManifestFacts, 'objects'>,
): Promise<void> {
  const find = () => refusalsOf(facts, { namespace, hosts, isShared }, client);
  let refused = await find();
  // A refusal that is only reported is not worth a wait.
  const most = isShared ? 1 : tries;
  for (let tried = 1; refused.some(({ isGrantable }) => isGrantable) && tried < most; tried += 1) {
    if (tried === 1)
      log.say('the cluster refuses objects of the chart; it is asked again, since it may not know the new rights yet');
    await sleep(pauseMs, undefined, { signal: stop });
    refused = await find();
  }
  if (refused.length === 0) return;
  const lines = refused.map(
    ({ kind, name, reason }) => logTexts(`${kind} ${name} ${reason}`, secrets.texts())[0] ?? '',
  );
  for (const line of lines) log.say(`${isShared ? 'would be refused' : 'refused'}: ${line}`);
  if (isShared) return log.say(whoCanGrant);
  const isGrantable = refused.some((one) => one.isGrantable);
  const toLog = `nothing was applied${isGrantable ? `. ${whoCanGrant}` : ''}`;
  throw new TaskFailure(reasonOf(lines, isGrantable), { kind: 'permanent', toLog });
}

function reasonOf(lines: readonly string[], isGrantable: boolean): string {
  const named = lines.slice(0, namedInReason).map((line) => cutText(line, 120));
  const more = lines.length > named.length ? `; and ${lines.length - named.length} more` : '';
  const grant = isGrantable ? `. ${whoCanGrant}` : '';
  return `Nothing was applied. The chart may not have these objects: ${cutText(`${named.join('; ')}${more}`, 200)}${grant}`;
}
