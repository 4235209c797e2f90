import { type Answer, type CallOptions, type Client, everyItem, type JsonObject } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { withIds } from '../documents/references.ts';
import { bodyOf, sensitiveProps } from './row-bodies.ts';
import { deploymentKey, rowKey, typeParts } from '../documents/row-key.ts';
import type { DocumentOf, SetDocument } from '../documents/set-document.ts';
import type { SetNames } from './set-names.ts';

export interface Creating extends SetNames {
  client: Client;
  options: () => CallOptions;
}

/** Creates the row of a document, as far as one request does it. */
export async function createRow(document: SetDocument, creating: Creating): Promise<Answer<{ id: string }>> {
  const { client, options, idOf, idOfReference, userId, kindId, chart, read } = creating;
  const envId = 'env' in document && typeof document.env === 'string' ? idOf(rowKey('Env', document.env)) : '';
  switch (document.kind) {
    case 'Env':
      return client.envs.create(
        { body: { name: document.name, auto_add_new_users: document.auto_add_new_users ?? false } },
        options(),
      );
    case 'Bot':
      return client.bots.create({ body: { display_name: document.name } }, options());
    case 'Cluster':
      throw new CliFailure('refused', `there is no cluster ${document.name}`);
    case 'Member': {
      const body = { env_id: envId, user_id: userId(document.user), role: document.role };
      return client.envUserPermissions.create({ body }, options());
    }
    case 'Role': {
      const of = { user_id: userId(document.user), kind_id: kindId(document.deployment_kind) };
      return client.deploymentPermissions.create({ body: { env_id: envId, ...of, role: document.role } }, options());
    }
    case 'Secret': {
      const { collection, name } = document;
      const contents = await read(document.contents);
      return client.secrets.create({ body: { env_id: envId, collection, name, contents } }, options());
    }
    case 'Deployment': {
      const { name, env, values_override = null } = document;
      const { id: helm_chart_id, kind } = chart(document.chart);
      const place = { name, kind_id: kindId(kind), cluster_id: idOf(rowKey('Cluster', document.cluster ?? '')) };
      const config = withIds(document.config ?? {}, (reference) => idOfReference(env, reference));
      return client.deployments.create({ body: { ...place, helm_chart_id, config, values_override } }, options());
    }
    default: {
      const props = withIds(document.props ?? {}, (reference) => idOfReference(document.env, reference));
      const body = {
        type_id: await typeId(document, envId, creating),
        deployment_id: managerOf(document, creating),
        name: document.name,
        props: { ...props, ...(await sensitiveProps(document, creating)) },
      };
      return client.deploymentResources.create({ body }, options());
    }
  }
}

/** What a creation cannot say, as the body of a change that follows it. */
export async function restAfterCreation(document: SetDocument, names: SetNames): Promise<JsonObject> {
  switch (document.kind) {
    case 'Env':
      return bodyOf(document, given(document, ['node_selector', 'tolerations']), names);
    case 'Bot':
      return document.is_active === false ? { is_active: false } : {};
    case 'Deployment': {
      const disabled = document.enabled === false ? ['enabled'] : [];
      return bodyOf(document, new Set([...disabled, ...given(document, ['description_md'])]), names);
    }
    default:
      return {};
  }
}

/** Those of the fields that say something. */
const given = (document: SetDocument, fields: readonly string[]): Set<string> => {
  const values = new Map<string, unknown>(Object.entries(document));
  return new Set(fields.filter((field) => (values.get(field) ?? null) !== null));
};

export const managerOf = (document: DocumentOf<'Resource'>, { idOf }: Pick<SetNames, 'idOf'>): string =>
  idOf(deploymentKey(document, typeParts(document.type).kind, document.deployment));

async function typeId(document: DocumentOf<'Resource'>, envId: string, { client, kindId }: Creating): Promise<string> {
  const { kind, key } = typeParts(document.type);
  const query = { deployment_kind_id: kindId(kind), key };
  let global: string | null = null;
  for await (const { id, env_id } of everyItem((after) =>
    client.deploymentResourceTypes.list({ query: { ...query, after } }),
  )) {
    if (env_id === envId) return id;
    if (env_id === null) global = id;
  }
  if (global !== null) return global;
  throw new CliFailure(
    'refused',
    `no deployment has registered the type ${document.type}: ${document.deployment} does once it is installed, if its chart has the type`,
  );
}
