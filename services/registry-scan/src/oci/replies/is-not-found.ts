import { z } from 'zod';
import type { HttpReply } from '@berth/egress/http-client';
import { jsonOf } from './parse-reply.ts';

const goneCodes = ['NAME_UNKNOWN', 'MANIFEST_UNKNOWN', 'BLOB_UNKNOWN', 'NOT_FOUND'];
const Errors = z.object({ errors: z.array(z.object({ code: z.string() })).min(1) });

/**
 * Whether it is the registry that says so. A 404 without the error codes of the specification may come from a proxy or
 * a load balancer in front of a registry that is down, and must not make charts disappear.
 */
export function saysGone(reply: HttpReply): boolean {
  if (reply.status !== 404) return false;
  const { data } = Errors.safeParse(jsonOf(reply));
  return data?.errors.some(({ code }) => goneCodes.includes(code)) ?? false;
}
