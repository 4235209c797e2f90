import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { secrets } from '@berth/contracts/resources/deployments/secrets';
import { found } from '@berth/contracts/errors';
import { refersTo } from '../store/deployments/impact-repository.ts';
import { createSecret } from './create-secret.ts';
import { deleteSecret } from './delete-secret.ts';
import type { SecretsDeps } from './secrets-deps.ts';
import { updateSecret } from './update-secret.ts';

export const secretHandlers = (deps: SecretsDeps) => {
  const create = createSecret(deps);
  const update = updateSecret(deps);
  const remove = deleteSecret(deps);

  return implement(secrets, {
    list: ({ query }, { identity }) => deps.store.secrets.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await deps.store.secrets.find(id, visibleEnvs(identity)), 'secret'),

    impact: async ({ id, query }, { identity }) => {
      const visible = visibleEnvs(identity);
      found(await deps.store.secrets.find(id, visible), 'secret');
      return deps.store.impact.list(refersTo({ collection: 'secrets', id }), query, visible);
    },

    create: ({ body }, context) => create(body, context),

    update: ({ id, body }, context) => update(id, body, context),

    delete: ({ id }, context) => remove(id, context),
  });
};
