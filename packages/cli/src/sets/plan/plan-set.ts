import { CliFailure } from '../../failure/cli-failure.ts';
import { changedFields } from './changed-fields.ts';
import type { LiveSet } from '../live/live-set.ts';
import { orderKeys } from './order-keys.ts';
import type { FoundDocument } from '../documents/parse-documents.ts';
import { placeDocuments } from './place-documents.ts';
import { refusalOf } from './refusal-of.ts';
import { keyOf, needsOf } from '../documents/row-key.ts';
import type { SetPlan, Step } from './step.ts';
import { kindOrder, type SetDocument, type Source } from '../documents/set-document.ts';

export interface PlanGiven {
  found: readonly FoundDocument[];
  live: LiveSet;
  /** Ids of the rows that belong to the set, by key. */
  owned: Readonly<Record<string, string>>;
  /** Delete rows of the set that have no document. */
  prune: boolean;
  /** Write the contents of secrets that are there. */
  writeSecrets: boolean;
  /** Why the contents of a secret cannot be read; null if they can. */
  problemOf: (source: Source) => string | null;
}

/** What has to be done so that the platform is as the documents say. A pure function. */
export function planSet(given: PlanGiven): SetPlan {
  const { live, prune } = given;
  const documents = placeDocuments(
    given.found.map(({ document }) => document),
    live,
  );
  const byKey = new Map(documents.map((document) => [keyOf(document), document]));
  refuseRepeated(given.found, documents);

  const sorted = [...byKey].toSorted(([, a], [, b]) => byKind(a, b));
  // Rows that exist already may need each other: only rows that have to be created decide the order.
  const needs = (key: string): string[] => needsIn(byKey.get(key)).filter((need) => !live.rows.has(need));
  const order = orderKeys(
    sorted.map(([key]) => key),
    needs,
    refuseCircle,
  );
  const steps = order.flatMap((key) => {
    const document = byKey.get(key);
    return document ? stepOf(document, { ...given, byKey }) : [];
  });
  const undocumented = Object.entries(given.owned).filter(([key]) => !byKey.has(key));
  const isSame = ([key, id]: [string, string]): boolean => live.rows.get(key)?.id === id;
  const deleted = deletions(
    undocumented.filter(isSame).map(([key]) => key),
    live,
  );
  return {
    steps: prune ? [...steps, ...deleted.map((step) => unlessMeant(step, steps))] : steps,
    forgotten: undocumented.filter((row) => !isSame(row)).map(([key]) => key),
  };
}

/**
 * A document that is blocked may mean this row by another key: that of a deployment lacks its cluster once its env has a second one.
 * So nothing of its kind is deleted until it is clear.
 */
function unlessMeant(step: Step, steps: readonly Step[]): Step {
  const unclear = steps.find(({ action, document }) => action === 'blocked' && document.kind === step.document.kind);
  return unclear
    ? { ...step, action: 'blocked', reason: `is not deleted before ${unclear.key} is clear, which may mean it` }
    : step;
}

const byKind = (a: SetDocument, b: SetDocument): number => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind);

const needsIn = (document: SetDocument | undefined): string[] => (document ? needsOf(document) : []);

function stepOf(document: SetDocument, given: PlanGiven & { byKey: ReadonlyMap<string, SetDocument> }): Step {
  const key = keyOf(document);
  const live = given.live.rows.get(key) ?? null;
  const fields = live ? changedFields(live.document, document, given) : [];
  const action = live === null ? 'create' : fields.length === 0 ? 'keep' : 'change';
  const step: Step = { key, action, document, live, fields, reason: null, needs: needsOf(document) };
  const reason = refusalOf(step, given);
  return reason === null ? step : { ...step, action: 'blocked', reason };
}

/** A row is deleted before the rows that it needs. */
function deletions(keys: readonly string[], { rows }: LiveSet): Step[] {
  const live = keys.flatMap((key) => rows.get(key) ?? []).toSorted((a, b) => byKind(a.document, b.document));
  const ordered = orderKeys(
    live.map(({ document }) => keyOf(document)),
    (key) => needsIn(rows.get(key)?.document),
    () => undefined,
  );
  return ordered.toReversed().flatMap((key) => {
    const row = rows.get(key);
    if (!row || row.isLeaving) return [];
    return { key, action: 'delete', document: row.document, live: row, fields: [], reason: null, needs: [] };
  });
}

function refuseCircle(circle: readonly string[]): void {
  throw new CliFailure('usage', `documents need each other, so none can be first: ${circle.join(' needs ')}`);
}

function refuseRepeated(found: readonly FoundDocument[], placed: readonly SetDocument[]): void {
  const seen = new Map<string, FoundDocument>();
  for (const [index, document] of placed.entries()) {
    const key = keyOf(document);
    const [one, other] = [seen.get(key), found[index]];
    if (one && other) {
      const places = [one, other].map(({ file, line }) => `${file}:${line ?? 1}`).join(' and ');
      throw new CliFailure('usage', `two documents are the same row ${key}: ${places}`);
    }
    if (other) seen.set(key, other);
  }
}
