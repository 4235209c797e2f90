import { decodeJwt } from 'jose';
import type { Identity } from '@berth/contracts/access/identity';
import { PackedIdentity } from '@berth/contracts/access/packed-identity';
import { unpackIdentity } from './pack-identity.ts';

/** The identity in a token that came from auth itself. Nothing is verified, so it must not be used to allow anything. */
export const identityIn = (token: string): Identity =>
  unpackIdentity(PackedIdentity.parse(decodeJwt(token)['identity']));
