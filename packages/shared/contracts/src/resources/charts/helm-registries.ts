import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { Icon, Id, Timestamp, text } from '../../fields/fields.ts';

/** `HelmRepo`: an `index.yaml` over HTTP. */
export const RegistryProvider = z.enum(['Ecr', 'Oci', 'HelmRepo']);
export type RegistryProvider = z.infer<typeof RegistryProvider>;

/** What other services see of a registry. */
export const PublishedRegistry = z.strictObject({
  id: Id,
  created_at: Timestamp,
  domain_name: z.string(),
  repo_name: z.string(),
  kind_id: Id,
  available: z.boolean(),
  fa_icon: z.string(),
  provider: RegistryProvider,
});

/** The version before lacks the optional fields. */
export const HelmRegistry = PublishedRegistry.extend({
  last_scan_at: Timestamp.nullable().optional().meta({
    description: 'when everything in the registry was last scanned without a failure; null if that never happened',
  }),
  source: z
    .enum(['configured', 'created'])
    .optional()
    .meta({ description: 'who says that it is scanned: the operators of Berth, or a site admin' }),
  last_error: z.string().nullable().optional().meta({
    description:
      'what the last scan could not read in this repository or in its registry, or why its push events cannot be received; null if nothing',
  }),
  credentials_set_at: Timestamp.nullable().optional().meta({
    description: 'when the credentials of a created registry were last given; null if it has none',
  }),
  push_token_set_at: Timestamp.nullable().optional().meta({
    description:
      'when the token with which a created registry sends its push events was last given; null if it has none',
  }),
});
export type HelmRegistry = z.infer<typeof HelmRegistry>;

const RegistryCredentials = z
  .strictObject({ username: text(1, 255), password: text(1, 4096) })
  .meta({ description: 'sealed at rest, and in no answer' });

const PushToken = text(16, 255).meta({
  description: 'of OCI registries: proves that a push event comes from the registry; sealed at rest, and in no answer',
});

const seconds = (least: number) => z.number().int().min(least).max(86_400);

export const NewHelmRegistry = z.strictObject({
  provider: z.enum(['Oci', 'HelmRepo']),
  url: text(1, 1000).meta({
    description: 'https, without credentials and query; for a chart repository, without index.yaml',
  }),
  repo_name: text(1, 255).meta({ description: 'the repository, or the name of the chart in a chart repository' }),
  credentials: RegistryCredentials.optional(),
  push_token: PushToken.optional(),
  auth_hosts: z.array(text(1, 255)).max(5).optional().meta({
    description: 'for OCI registries: `host[:port]` of token servers on other hosts, which get the credentials',
  }),
  poll_interval_seconds: seconds(30).optional(),
  recheck_interval_seconds: seconds(60).optional(),
  fa_icon: Icon.optional(),
});
export type NewHelmRegistry = z.infer<typeof NewHelmRegistry>;

export const HelmRegistryChanges = z.strictObject({
  fa_icon: Icon.optional(),
  credentials: RegistryCredentials.nullable().optional(),
  push_token: PushToken.nullable().optional(),
});
export type HelmRegistryChanges = z.infer<typeof HelmRegistryChanges>;

export const helmRegistries = resource('helm_registries', {
  owner: 'registry-scan',
  singular: 'chart registry',
  // The times represent the credentials and the token, which no answer may show, not even hashed.
  etag: ['fa_icon', 'credentials_set_at', 'push_token_set_at'],
  // The kind of a chart is that of its registry.
  state: { row: HelmRegistry, published: PublishedRegistry, readers: everybody, consumers: ['tasks'] },
  operations: {
    list: operation({
      http: 'GET /helm-registries',
      summary: 'List chart registries',
      allow: signedIn,
      query: listQuery({
        filters: { repo_name: filter.exact, kind_id: filter.id },
        sort: ['created_at', 'domain_name', 'repo_name'],
      }),
      response: pageOf(HelmRegistry),
    }),
    get: operation({
      http: 'GET /helm-registries/:id',
      summary: 'Read a chart registry',
      allow: signedIn,
      response: HelmRegistry,
    }),
    create: operation({
      http: 'POST /helm-registries',
      summary: 'Create a chart registry beside those of the configuration',
      conflicts: 'the repository is listed, its registry is configured, or their number is at its maximum',
      allow: siteAdmin,
      mayChange: ['deployment_kinds'],
      body: NewHelmRegistry,
      response: HelmRegistry,
    }),
    delete: operation({
      http: 'DELETE /helm-registries/:id',
      summary: 'Delete a created chart registry and its charts',
      conflicts: 'the registry is configured, or a deployment refers to one of its charts',
      allow: siteAdmin,
      mayChange: ['helm_charts'],
      response: z.null(),
    }),
    update: operation({
      http: 'PUT /helm-registries/:id',
      summary: 'Change the icon of a chart registry, or the credentials or push token of a created one',
      conflicts: 'credentials or a push token are given, and the registry is configured',
      allow: siteAdmin,
      body: HelmRegistryChanges,
      response: HelmRegistry,
    }),
  },
});
