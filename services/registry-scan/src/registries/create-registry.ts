import { AppError } from '@berth/contracts/errors';
import type { HelmRegistry, NewHelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import { kindNameOf } from '../kinds/kind-name-of.ts';
import type { KindChanges } from '../kinds/kind-repository.ts';
import { createdSettings, describeCreated, refusePushTokenOf, refuseQueryIn } from './created-settings.ts';
import type { CreatedRegistryRepository } from './created-registry-repository.ts';
import type { RegistryChanges } from './registry-repository.ts';
import type { RegistryRules } from './registry-rules.ts';
import { sealCredentials, sealPushToken } from './sealed-credentials.ts';

interface Store {
  registries: RegistryChanges;
  createdRegistries: CreatedRegistryRepository;
  kinds: KindChanges;
}

const maxCreated = 1_000;

/** Stores a registry, which is scanned from now on. The row of one that is no longer configured is taken over. */
export async function createRegistry(
  { registries, createdRegistries, kinds }: Store,
  { allowances, keys, isConfigured }: RegistryRules,
  body: NewHelmRegistry,
): Promise<HelmRegistry> {
  const settings = createdSettings(body);
  const described = describeCreated(settings, allowances);
  refuseQueryIn(described);
  const { source } = described;
  if (body.push_token !== undefined) refusePushTokenOf(source.provider);
  const name = { domain: source.domain, repository: body.repo_name };
  if (isConfigured(name.domain)) {
    throw new AppError('conflict', `${name.domain} is configured: its repositories are found without being created`);
  }
  if ((await createdRegistries.count()) >= maxCreated) {
    throw new AppError('conflict', `There are already ${maxCreated} created registries, which is the maximum`);
  }

  const kindName = kindNameOf(body.repo_name);
  const { id: kindId } = (await kinds.insertMissing(kindName)) ?? (await kinds.findByName(kindName));
  const fields = { kindId, provider: source.provider, source: 'created' as const, icon: body.fa_icon };
  const row = (await registries.insertMissing(name, fields)) ?? (await registries.takeOver(name, fields));
  if (!row) throw new AppError('conflict', `${name.domain} with the repository ${name.repository} is already listed`);

  const credentials = body.credentials ? sealCredentials(keys, row.id, body.credentials) : null;
  const pushToken = body.push_token === undefined ? null : sealPushToken(keys, row.id, body.push_token);
  await createdRegistries.insert(row.id, settings, { credentials, pushToken });
  if (credentials) await registries.noteSecret(row.id, 'credentials_set_at', true);
  if (pushToken) await registries.noteSecret(row.id, 'push_token_set_at', true);
  return (await registries.find(row.id)) ?? row;
}
