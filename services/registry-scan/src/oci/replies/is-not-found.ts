import { z } from 'zod';
import type { HttpReply } from '@berth/egress/http-client';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';

const notFoundCodes = ['NAME_UNKNOWN', 'MANIFEST_UNKNOWN', 'BLOB_UNKNOWN', 'NOT_FOUND'];
const Errors = z.object({ errors: z.array(z.object({ code: z.string() })).min(1) });

/**
 * Whether the registry itself reports that something does not exist. A 404 without an error code of the specification
 * may come from a proxy in front of a registry that is down, and must not make charts unavailable.
 */
export function isNotFound(reply: HttpReply): boolean {
  if (reply.status !== 404) return false;
  const { data } = Errors.safeParse(parsedBoundedJson(reply.body));
  return data?.errors.some(({ code }) => notFoundCodes.includes(code)) ?? false;
}
