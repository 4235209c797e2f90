import { hash } from 'node:crypto';
import type { Resource } from '../contracts/contract.ts';

/** The same text for the same JSON value, whatever the order of its keys; absent and undefined are one. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value instanceof Date) return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}

/** A strong `ETag` over the fields that the contract of the resource names; null for a resource without rows. */
export function etagOf({ etag }: Pick<Resource, 'etag'>, row: object): string | null {
  if (!etag) return null;
  const fields = row as Record<string, unknown>;
  const text = canonical(etag.map((name) => fields[name]));
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}

/** Whether an `If-Match` header fits: `*`, or one of its tags. Weak tags never match (RFC 9110, 13.1.1). */
export function fitsIfMatch(ifMatch: string, etag: string | null): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== null && ifMatch.split(',').some((tag) => tag.trim() === etag);
}
