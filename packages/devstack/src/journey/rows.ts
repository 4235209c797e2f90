import { z } from 'zod';

/** Just what the journey reads of each resource. */
export const Env = z.object({ id: z.uuid(), name: z.string() });
export const Registry = z.object({ id: z.uuid(), repo_name: z.string(), kind_id: z.uuid() });
export const Chart = z.object({
  id: z.uuid(),
  helm_registry_id: z.uuid(),
  image_tag: z.string(),
  available: z.boolean(),
  error: z.string().nullable(),
});
export const Cluster = z.object({
  id: z.uuid(),
  name: z.string(),
  env_id: z.uuid().nullable(),
  is_ok: z.boolean(),
  ignore: z.boolean(),
  not_ok_reason: z.string().nullable(),
});
export const Deployment = z.object({
  id: z.uuid(),
  name: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  namespace: z.string(),
});
export const Task = z.object({ id: z.uuid(), status: z.string(), reason: z.string().nullable() });
export const Tracked = z.object({
  id: z.uuid(),
  kind: z.string(),
  name: z.string(),
  status_color: z.array(z.string()),
});
export const CreatedToken = z.object({ created_token: z.string() });
export const Me = z.object({
  User: z.object({ id: z.uuid(), display_name: z.string(), email: z.string().nullable() }),
});

export type Row<T extends z.ZodType> = z.output<T>;
