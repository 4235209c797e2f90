import { maxRolesOfUser } from '@berth/contracts/access/packed-identity';
import { AppError } from '@berth/contracts/errors';

const most = maxRolesOfUser.toLocaleString('en-US');

/** `number`: how many roles the user already has, counted while the user is locked. */
export function refuseTooManyRoles(number: number, what: 'env roles' | 'deployment permissions'): void {
  if (number >= maxRolesOfUser)
    throw new AppError('conflict', `The user already has ${most} ${what}, which is the maximum`);
}

/** A new user becomes a member of all these envs at once. */
export function refuseTooManyAutomaticEnvs(number: number): void {
  if (number < maxRolesOfUser) return;
  throw new AppError('conflict', `${most} envs already add new users automatically, which is the maximum`);
}
