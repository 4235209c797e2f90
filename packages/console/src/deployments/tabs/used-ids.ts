import type { JsonValue } from '@berth/client';

/** The deployments that the inputs of a form refer to, at most as many as one read takes. */
export function usedIds(inputs: JsonValue | undefined, config: Record<string, JsonValue>): string[] {
  if (!Array.isArray(inputs)) return [];
  const ids = inputs.flatMap((input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input) || input['collection'] !== 'deployments')
      return [];
    const value = typeof input['id'] === 'string' ? config[input['id']] : undefined;
    return Array.isArray(value) ? value : [value];
  });
  return [...new Set(ids.filter((id) => typeof id === 'string'))].slice(0, 100);
}
