import type { User } from '@berth/shared/contracts/resources/users';
import type { StoredUser } from './user-repository.ts';

/** As site admins and the user see it. */
export const fullUser = ({ id, created_at, display_name, email, is_admin, is_active }: StoredUser): User => ({
  id,
  created_at,
  display_name,
  email,
  is_admin,
  is_active,
});

/** As everybody may see it: this one goes out to all who follow, so without the e-mail. */
export const publicUser = (user: StoredUser): User => ({ ...fullUser(user), email: null });
