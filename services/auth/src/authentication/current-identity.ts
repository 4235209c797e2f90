import type { CurrentIdentity, CurrentIdentityQuery } from '@berth/contracts/resources/accounts/identities';
import type { BotRepository } from '../bots/bot-repository.ts';
import type { CredentialRepository } from './credential-repository.ts';
import { userIdentity } from './identity-behind.ts';

export interface CurrentIdentityDeps {
  credentialRepository: Pick<CredentialRepository, 'findUser'>;
  botRepository: Pick<BotRepository, 'find'>;
}

/** The current identity of a user or bot, for work on their behalf without a credential. */
export const createCurrentIdentity =
  ({ credentialRepository, botRepository }: CurrentIdentityDeps) =>
  async ({ kind, id }: CurrentIdentityQuery): Promise<CurrentIdentity> => {
    const row = kind === 'bot' ? await botRepository.find(id) : await credentialRepository.findUser(id);
    if (row === null) return { missing: 'unknown' };
    if (!row.is_active) return { missing: 'inactive' };
    return { identity: 'env_roles' in row ? userIdentity(id, row) : { kind: 'bot', id } };
  };
