import { randomUUID } from 'node:crypto';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import { registryId } from './sample-rows.ts';

/** A form with a number, a choice, and a reference to a deployment of a kind. */
export const webForm = {
  inputs: [
    { id: 'replicas', type: 'number', label: 'Replicas', required: true, minimum: '1', maximum: '9' },
    { id: 'tier', type: 'RadioSelect', label: 'Tier', options: [{ value: 'small' }, { value: 'large' }] },
    { id: 'peer', type: 'CollectionSelect', label: 'Peer', collection: 'deployments' },
    { id: 'token', type: 'CollectionSelect', label: 'Token', collection: 'secrets' },
  ],
  outputs: {
    values: [
      { path: ['replicaCount'], value: { FieldValue: { input: 'replicas' } } },
      { path: ['peer', 'name'], value: { FieldProperty: { input: 'peer', property: 'name' } } },
    ],
    secrets: { 'web-tier': { tier: { FieldValue: { input: 'tier' } } } },
  },
};

export const sampleChart = (fields: Partial<HelmChart> = {}): HelmChart => ({
  id: randomUUID(),
  created_at: '2026-01-01T00:00:00.000Z',
  helm_registry_id: registryId,
  image_digest: `sha256:${'0'.repeat(64)}`,
  image_tag: '1.0.0',
  available: true,
  values_ui: webForm,
  actions_schema: null,
  features: null,
  resource_types: null,
  error: null,
  tag_format_id: null,
  parsed_version: '1.0.0',
  parsed_revision: null,
  parsed_branch: null,
  parsed_commit: null,
  ...fields,
});
