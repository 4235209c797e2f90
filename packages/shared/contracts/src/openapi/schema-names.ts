import type { z } from 'zod';
import type { OperationSpec, Resource } from '../definition/contract.ts';

const singularOf = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

/** `helm_registries` → `HelmRegistry`: the name of the row in code and in the document. */
export const rowName = (resource: string): string =>
  singularOf(resource)
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** The schemas that are named in the document: rows and the bodies that create or change one. */
export function schemaNames(resources: readonly Resource[]): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  for (const { name, operations } of resources) {
    const { get, create, update }: Record<string, OperationSpec | undefined> = operations;
    const row = rowName(name);
    if (get?.http) names.set(get.response, row);
    if (create?.http && create.body) names.set(create.body, `New${row}`);
    if (update?.http && update.body) names.set(update.body, `${row}Changes`);
  }
  return names;
}
