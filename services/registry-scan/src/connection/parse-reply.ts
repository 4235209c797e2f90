import type { z } from 'zod';
import type { HttpReply } from '@berth/egress/http-client';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import type { JsonSize } from '@berth/contracts/fields/json-size';
import { RegistryError } from './registry-error.ts';

/** Reads an answer of at most 10,000 members, or within other limits. */
export function parseReply<S extends z.ZodType>(
  reply: HttpReply,
  schema: S,
  what: string,
  limits?: JsonSize,
): z.output<S> {
  const { success, data } = schema.safeParse(parsedBoundedJson(reply.body, limits));
  if (!success) throw new RegistryError('malformed', `the registry's answer is not ${what}`);
  return data;
}
