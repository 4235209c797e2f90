import { maxRolesOfUser } from '@berth/shared/access/packed-identity';
import { AppError } from '@berth/shared/errors';

const most = maxRolesOfUser.toLocaleString('en-US');

/** `number` is what the user has already, counted under the lock of the user. */
export function refuseTooManyRoles(number: number, what: 'env roles' | 'deployment permissions'): void {
  if (number >= maxRolesOfUser)
    throw new AppError('conflict', `The user has ${most} ${what}, the most a user can have`);
}

/** A new user becomes a member of all of them at once. */
export function refuseTooManyAutomaticEnvs(number: number): void {
  if (number < maxRolesOfUser) return;
  throw new AppError('conflict', `${most} envs add new users already, the most there can be`);
}
