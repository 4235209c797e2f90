import { randomUUID } from 'node:crypto';
import type { EnvRole } from '@berth/contracts/access/identity';
import type { Database } from '@berth/db/database';
import type { StoredUser } from '../../src/users/stored-user.ts';
import type { Send, AuthUnderTest } from './auth-under-test.ts';
import { inStore } from './in-store.ts';

export interface NewPerson {
  is_admin?: boolean;
  is_active?: boolean;
  email?: string;
  display_name?: string;
  /** Roles by env id. */
  roles?: Record<string, EnvRole>;
}

export interface Somebody extends StoredUser {
  send: Send;
  /** Their session. */
  jwt: string;
}

/** A user who has logged in before. */
export async function somebody(
  auth: Pick<AuthUnderTest, 'db' | 'jwtIssuer' | 'as'>,
  person: NewPerson = {},
): Promise<Somebody> {
  const user = await newUser(auth.db, person);
  const { access_token: jwt } = await auth.jwtIssuer.forSession(user);
  return { ...user, jwt, send: auth.as({ jwt }) };
}

export async function newUser(db: Database, person: NewPerson = {}): Promise<StoredUser> {
  const subject = randomUUID();
  const { is_admin = false, is_active = true, display_name = 'Somebody', roles = {} } = person;
  const email = person.email ?? `${subject}@example.test`;
  const row = { issuer: 'https://id.example.test', subject, email, display_name, is_admin, is_active };
  const user = await inStore(db, ({ users }) => users.insertUnlessTaken(row));
  if (!user) throw new Error(`${email} is taken`);
  for (const [env_id, role] of Object.entries(roles)) {
    await inStore(db, ({ envMembers }) => envMembers.insert({ env_id, user_id: user.id, role }));
  }
  return user;
}

export const newEnv = (db: Database, name = `env ${randomUUID()}`, auto_add_new_users = false) =>
  inStore(db, ({ envs }) => envs.insert({ name, auto_add_new_users }));
