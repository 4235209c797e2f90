import { z } from 'zod';
import { isJsonObject } from '@berth/contracts/fields/json';
import { ruleWords } from '@berth/contracts/fields/rule-words';

/** Berth's API group, and that of the upstream project, whose charts work here unchanged. */
const groups = ['berth.dev', 'platz.io'];

/** `apiVersion` and `kind` of an extension file, as in Kubernetes manifests. */
export function header(kind: string, versions: readonly string[]) {
  const allowed = groups.flatMap((group) => versions.map((version) => `${group}/${version}`));
  return {
    apiVersion: z.enum(allowed, ruleWords(`must be one of ${allowed.join(', ')}`)),
    kind: z.literal(kind, ruleWords(`must be ${kind}`)),
  };
}

export const hasHeader = (document: unknown): boolean =>
  isJsonObject(document) && ('apiVersion' in document || 'kind' in document);
