import type { User } from '@berth/contracts/resources/accounts/users';
import type { StoredUser } from './stored-user.ts';

/** As site admins and the user see it. */
export const fullUser = ({ id, created_at, display_name, email, is_admin, is_active }: StoredUser): User => ({
  id,
  created_at,
  display_name,
  email,
  is_admin,
  is_active,
});

/** The view for everyone, without the e-mail: it is published to all followers. */
export const publicUser = (user: StoredUser): User => ({ ...fullUser(user), email: null });
