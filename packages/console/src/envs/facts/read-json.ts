import type { JsonValue } from '@berth/client';

/** Parses what somebody typed as JSON. An empty text is null. */
export function readJson(text: string): { value: JsonValue } | { error: string } {
  if (text.trim() === '') return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `must be JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
}

/** The text of a value for people to edit; empty for null. */
export const jsonText = (value: JsonValue): string => (value === null ? '' : JSON.stringify(value, null, 2));
