import { randomUUID } from 'node:crypto';
import type { EnvRole } from '@berth/contracts/access/identity';
import type { Database } from '@berth/db/database';
import { createEnvMemberRepository } from '../../src/envs/env-member-repository.ts';
import { createEnvRepository } from '../../src/envs/env-repository.ts';
import { createUserRepository, type StoredUser } from '../../src/users/user-repository.ts';
import type { Send, AuthUnderTest } from './auth-under-test.ts';

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
  const user = await createUserRepository(db).insertUnlessTaken(row);
  if (!user) throw new Error(`${email} is taken`);
  for (const [env_id, role] of Object.entries(roles)) {
    await createEnvMemberRepository(db).insert({ env_id, user_id: user.id, role });
  }
  return user;
}

export const newEnv = (db: Database, name = `env ${randomUUID()}`, auto_add_new_users = false) =>
  createEnvRepository(db).insert({ name, auto_add_new_users });
