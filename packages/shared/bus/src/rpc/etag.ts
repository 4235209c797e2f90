import { hash } from 'node:crypto';
import { canonicalJson } from '@berth/contracts/fields/canonical-json';
import type { Resource } from '@berth/contracts/definition/contract';

/** A strong `ETag` over the fields that the contract of the resource names; null for a resource without rows. */
export function etagOf({ etag }: Pick<Resource, 'etag'>, row: object): string | null {
  if (!etag) return null;
  const fields = row as Record<string, unknown>;
  const text = canonicalJson(etag.map((name) => fields[name]));
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}

/** Whether an `If-Match` header fits: `*`, or one of its tags. Weak tags never match (RFC 9110, 13.1.1). */
export function fitsIfMatch(ifMatch: string, etag: string | null): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== null && ifMatch.split(',').some((tag) => tag.trim() === etag);
}
