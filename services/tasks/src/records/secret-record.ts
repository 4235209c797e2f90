import { Id } from '@berth/contracts/fields/fields';
import { Secret } from '@berth/contracts/resources/deployments/secrets';
import { z } from 'zod';

/** Binds sealed contents to their row: they cannot be opened with the id of another row or env. */
export const BoundTo = z.object({ id: Id, env_id: Id });
export type BoundTo = z.infer<typeof BoundTo>;

export const WrappedKey = z.object({
  /** The name of the configured key that wraps the data key. */
  key_id: z.string(),
  wrapped_key: z.instanceof(Buffer),
});
export type WrappedKey = z.infer<typeof WrappedKey>;

/** Stored contents, sealed with their own data key. */
export const SealedContents = WrappedKey.extend({ sealed_contents: z.instanceof(Buffer) });
export type SealedContents = z.infer<typeof SealedContents>;

/** A secret with the columns that only the engine needs. */
export const SecretRecord = Secret.extend(SealedContents.shape);
export type SecretRecord = z.infer<typeof SecretRecord>;

/** The public fields of a secret. */
export const publicSecret = ({ id, created_at, updated_at, env_id, collection, name }: Secret): Secret => ({
  id,
  created_at,
  updated_at,
  env_id,
  collection,
  name,
});

/** The sensitive inputs of a task, stored until the task ends. */
export const TaskInputs = WrappedKey.extend({ task_id: Id, sealed_inputs: z.instanceof(Buffer) });
export type TaskInputs = z.infer<typeof TaskInputs>;
