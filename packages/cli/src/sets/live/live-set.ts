import type { Chart } from './charts.ts';
import { liveDocuments } from './live-documents.ts';
import type { LiveRow, PlatformRows } from './platform-rows.ts';
import { withReferences } from '../documents/references.ts';
import { keyOf, referenceTo } from '../documents/row-key.ts';
import type { SetDocument } from '../documents/set-document.ts';

/** What a set is compared with. */
export interface LiveSet {
  rows: ReadonlyMap<string, LiveRow>;
  /** Names that several rows have, with their ids. */
  ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Ids by e-mail address and by id. */
  users: ReadonlyMap<string, string>;
  /** Ids by name and by id. */
  kinds: ReadonlyMap<string, string>;
  charts: readonly Chart[];
}

export function liveSet(platform: PlatformRows): LiveSet {
  const { rows, ambiguous } = liveDocuments(platform);
  const keys = new Map(rows.map(({ id, document }) => [id, keyOf(document)]));
  return {
    rows: new Map(
      rows.map((row) => {
        const document = byName(row.document, keys);
        return [keyOf(document), { ...row, document }];
      }),
    ),
    ambiguous,
    users: new Map(
      platform.users.flatMap(({ id, email }) => [id, ...(email === null ? [] : [email])].map((name) => [name, id])),
    ),
    kinds: new Map(platform.kinds.flatMap(({ id, name }) => [id, name].map((one) => [one, id]))),
    charts: platform.charts,
  };
}

/** The same document with references in place of ids. */
function byName(document: SetDocument, keys: ReadonlyMap<string, string>): SetDocument {
  if (document.kind !== 'Deployment' && document.kind !== 'Resource') return document;
  const referenceOf = (id: string): string | null => {
    const key = keys.get(id);
    return key === undefined ? null : referenceTo(key, document.env);
  };
  return document.kind === 'Deployment'
    ? { ...document, config: withReferences(document.config ?? {}, referenceOf) }
    : { ...document, props: withReferences(document.props ?? {}, referenceOf) };
}
