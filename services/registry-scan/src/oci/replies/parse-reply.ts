import type { z } from 'zod';
import type { HttpReply } from '@berth/egress/http-client';
import { parsedJson } from '@berth/contracts/fields/json';
import { RegistryError } from '../registry-error.ts';

export function parseReply<S extends z.ZodType>(reply: HttpReply, schema: S, what: string): z.output<S> {
  const { success, data } = schema.safeParse(parsedJson(reply.body.toString()));
  if (!success) throw new RegistryError('malformed', `the registry's answer is not ${what}`);
  return data;
}
