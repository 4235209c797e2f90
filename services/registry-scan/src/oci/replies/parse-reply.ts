import type { z } from 'zod';
import type { HttpReply } from '@berth/egress/http-client';
import { RegistryError } from '../registry-error.ts';

/** The JSON of a reply; undefined if it is not JSON. */
export function jsonOf({ body }: HttpReply): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function parseReply<S extends z.ZodType>(reply: HttpReply, schema: S, what: string): z.output<S> {
  const { success, data } = schema.safeParse(jsonOf(reply));
  if (!success) throw new RegistryError('malformed', `the registry's answer is not ${what}`);
  return data;
}
