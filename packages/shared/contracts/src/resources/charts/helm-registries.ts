import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Icon, Id, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

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
  last_error: z.string().nullable().optional().meta({
    description: 'what the last scan could not read in this repository or in its registry; null if nothing',
  }),
});
export type HelmRegistry = z.infer<typeof HelmRegistry>;

export const HelmRegistryChanges = z.strictObject({ fa_icon: Icon.optional() });
export type HelmRegistryChanges = z.infer<typeof HelmRegistryChanges>;

export const helmRegistries = resource('helm_registries', {
  owner: 'registry-scan',
  singular: 'chart registry',
  etag: ['fa_icon'],
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
    update: operation({
      http: 'PUT /helm-registries/:id',
      summary: 'Change the icon of a chart registry',
      allow: siteAdmin,
      body: HelmRegistryChanges,
      response: HelmRegistry,
    }),
  },
});
