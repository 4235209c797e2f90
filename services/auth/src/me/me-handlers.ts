import type { Identity } from '@berth/contracts/access/identity';
import { implement } from '@berth/bus/rpc/implement';
import { type Me, me } from '@berth/contracts/resources/accounts/me';
import type { Database } from '@berth/db/database';
import { found } from '@berth/contracts/errors';
import { createBotRepository } from '../bots/bot-repository.ts';
import type { CallingDeployments } from '../tokens/calling-deployments.ts';
import { createUserRepository } from '../users/user-repository.ts';

export interface MeHandlersDeps {
  db: Database;
  callingDeployments: CallingDeployments;
}

export const meHandlers = ({ db, callingDeployments }: MeHandlersDeps) => {
  const userRepository = createUserRepository(db);
  const botRepository = createBotRepository(db);

  async function whoIs(identity: Identity): Promise<Me> {
    if (identity.kind === 'user') return { User: found(await userRepository.find(identity.id, identity), 'user') };
    if (identity.kind === 'bot') return { Bot: found(await botRepository.find(identity.id), 'bot') };
    const { id, name, env_id } = found(await callingDeployments.find(identity.id), 'deployment');
    return { Deployment: { id, name, env_id } };
  }

  return implement(me, {
    get: (_request, { identity }) => whoIs(identity),
    get_as_user: (_request, { identity }) => whoIs(identity),
  });
};
