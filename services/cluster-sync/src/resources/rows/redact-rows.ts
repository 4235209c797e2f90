import type { Bus } from '@berth/bus/bus';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { shownTexts, type TextsOfDeployment } from '@berth/contracts/resources/deployments/shown-texts';
import type { TrackedRow } from '../objects/tracked-object.ts';
import type { RowChange } from './change-queue.ts';

/** Removes the secrets of their deployments from rows that are about to be written. */
export type RedactRows = (changes: readonly RowChange[]) => Promise<readonly RowChange[]>;

const hidden = '***';
/** Shorter texts are not secrets. */
const leastCharacters = 6;
const mostCharacters = 1_000;
/** Limit of one call; a row has 32 KiB at most. */
const mostOfCall = { characters: 128 * 1024, rows: 50 };
const mostNames = 2_000;
const mostKnown = 50_000;

/** Members of `metadata` that Kubernetes generates. */
const harmless = new Set(['uid', 'creationTimestamp', 'deletionTimestamp', 'resource_id']);

interface Put {
  readonly change: RowChange & { put: object };
  readonly row: TrackedRow;
  readonly texts: readonly string[];
}

/**
 * A chart may copy a secret into a label, a hostname or an argument that a message quotes. Only `tasks` can open secrets, so it
 * redacts: one call per transaction, with the texts that are not yet known to be harmless. Rows wait until it answers.
 */
export function createRedactRows({ bus }: { bus: Pick<Bus, 'call'> }): RedactRows {
  const known = new Set<string>();
  const keyOf = (deploymentId: string, name: string) => `${deploymentId} ${name}`;

  async function redact(puts: readonly Put[]): Promise<RowChange[]> {
    const deployments = textsByDeployment(puts);
    const { deployments: answers } =
      deployments.length === 0
        ? { deployments: [] }
        : await bus.call(shownTexts.operations.redact, { body: { deployments } });
    const shown = new Map<string, string>();
    for (const [index, { deployment_id, names, messages }] of deployments.entries()) {
      const answer = answers[index];
      for (const [each, text] of [...names, ...messages].entries()) {
        shown.set(keyOf(deployment_id, text), [...(answer?.names ?? []), ...(answer?.messages ?? [])][each] ?? hidden);
      }
      for (const name of names) if (shown.get(keyOf(deployment_id, name)) === name) remember(deployment_id, name);
    }
    return puts.map(({ change, row }) => {
      const shownFor = (text: string): string => {
        const key = keyOf(row.deployment_id, text);
        return text.length < leastCharacters || known.has(key) ? text : (shown.get(key) ?? hidden);
      };
      const metadata = mapTexts(row.metadata, shownFor);
      return { ...change, put: { ...change.put, row: JSON.stringify({ ...row, name: shownFor(row.name), metadata }) } };
    });
  }

  function remember(deploymentId: string, name: string): void {
    if (known.size >= mostKnown) known.clear();
    known.add(keyOf(deploymentId, name));
  }

  function textsByDeployment(puts: readonly Put[]): TextsOfDeployment[] {
    const byDeployment = Map.groupBy(puts, ({ row }) => row.deployment_id);
    return [...byDeployment].flatMap(([deployment_id, ofDeployment]) => {
      const isAsked = (text: string) => text.length >= leastCharacters && text.length <= mostCharacters;
      const names = new Set(ofDeployment.flatMap(({ texts }) => texts).filter(isAsked));
      for (const name of names) if (known.has(keyOf(deployment_id, name))) names.delete(name);
      const messages = ofDeployment.flatMap(({ row }) => messageOf(row)).filter(isAsked);
      if (names.size === 0 && messages.length === 0) return [];
      return [{ deployment_id, names: [...names].slice(0, mostNames), messages }];
    });
  }

  return async (changes) => {
    const redacted: RowChange[] = changes.filter(({ put }) => put === undefined);
    for (const puts of inCalls(changes.flatMap((change) => (change.put ? [putOf(change)] : [])))) {
      redacted.push(...(await redact(puts)));
    }
    return redacted;
  };
}

function putOf(change: Put['change'] & { put: { row: string } }): Put {
  const row: TrackedRow = JSON.parse(change.put.row);
  const texts = [row.name];
  mapTexts(row.metadata, (text) => (texts.push(text), text));
  return { change, row, texts: texts.filter((text) => text !== row.metadata['message']) };
}

const messageOf = ({ metadata: { message } }: TrackedRow): string[] => (typeof message === 'string' ? [message] : []);

function* inCalls(puts: readonly Put[]): Generator<Put[]> {
  let call: Put[] = [];
  let characters = 0;
  for (const put of puts) {
    const { length } = JSON.stringify(put.texts);
    if (call.length > 0 && (call.length >= mostOfCall.rows || characters + length > mostOfCall.characters)) {
      yield call;
      [call, characters] = [[], 0];
    }
    call.push(put);
    characters += length;
  }
  if (call.length > 0) yield call;
}

/** Every text of the metadata that a chart or a controller may have written: a label may be named after a secret, or called `uid`. */
function mapTexts(metadata: JsonObject, of: (text: string) => string): JsonObject {
  const mapped = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return of(value);
    if (Array.isArray(value)) return value.map(mapped);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [of(key), mapped(each)]));
  };
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, harmless.has(key) ? value : mapped(value)]),
  );
}
