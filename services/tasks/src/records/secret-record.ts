import { Id } from '@berth/contracts/fields/fields';
import { Secret } from '@berth/contracts/resources/deployments/secrets';
import { z } from 'zod';

/** Binds sealed contents to their row: they do not open in another row or env. */
export const BoundTo = z.object({ id: Id, env_id: Id });
export type BoundTo = z.infer<typeof BoundTo>;

export const WrappedKey = z.object({
  /** Names the key of the configuration under which the data key is wrapped. */
  key_id: z.string(),
  wrapped_key: z.instanceof(Buffer),
});
export type WrappedKey = z.infer<typeof WrappedKey>;

/** Contents as stored, sealed with a data key of their own. */
export const SealedContents = WrappedKey.extend({ sealed_contents: z.instanceof(Buffer) });
export type SealedContents = z.infer<typeof SealedContents>;

/** A secret as the engine sees it. */
export const SecretRecord = Secret.extend(SealedContents.shape);
export type SecretRecord = z.infer<typeof SecretRecord>;

/** The secret as everybody in its env may see it. */
export const publicSecret = ({ id, created_at, updated_at, env_id, collection, name }: Secret): Secret => ({
  id,
  created_at,
  updated_at,
  env_id,
  collection,
  name,
});

/** The sensitive inputs of a task as stored, until it ends. */
export const TaskInputs = WrappedKey.extend({ task_id: Id, sealed_inputs: z.instanceof(Buffer) });
export type TaskInputs = z.infer<typeof TaskInputs>;
