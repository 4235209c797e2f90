import { User } from '@berth/contracts/resources/accounts/users';
import { z } from 'zod';

/** For internal use: includes the e-mail for any caller, and the epoch that session JWTs carry. */
export const StoredUser = User.extend({ email: z.string(), session_epoch: z.number().int() });
export type StoredUser = z.infer<typeof StoredUser>;
