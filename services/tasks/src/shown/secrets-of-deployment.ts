import { configReferences } from '@berth/chart-extensions/config/config-references';
import type { JsonObject } from '@berth/contracts/fields/json';
import { collectionKey } from '../collections/collection-key.ts';
import { readChart } from '../deployments/chart.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import { openResources } from '../secrets/open-resources.ts';
import { openSecrets } from '../secrets/open-secrets.ts';
import { textsIn } from '../secrets/sealed-props.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { ReadingStore } from '../store/store.ts';
import { sensitiveTexts } from '../values/sensitive-texts.ts';

export interface SecretsOfDeploymentDeps {
  store: Pick<ReadingStore, 'projected' | 'secrets' | 'resources' | 'installed'>;
  secretKeys: SecretKeys;
}

/** More changes than this, each with other secrets, hardly ever fail in a row. */
const mostRuns = 10;

/** All secrets of the current configuration, and of the runs whose objects may be in the cluster. */
export async function secretsOfDeployment(
  { store, secretKeys }: SecretsOfDeploymentDeps,
  { id, env_id, helm_chart_id, config }: DeploymentRecord,
): Promise<string[]> {
  const configured = [{ helm_chart_id, config }, ...(await store.installed.runsOf(id, mostRuns))];
  const used = await Promise.all(configured.map((one) => usedBy(store, one)));
  const idsIn = (collection: 'secrets' | 'resources') => [...new Set(used.flatMap((one) => one[collection]))];
  const [contents, props] = await Promise.all([
    openSecrets({ secrets: store.secrets, secretKeys }, env_id, idsIn('secrets')),
    openResources({ resources: store.resources, secretKeys }, env_id, idsIn('resources')),
  ]);
  return [...contents.values(), ...textsIn([...props.values()]), ...used.flatMap(({ inputs }) => inputs)];
}

interface Configured {
  helm_chart_id: string;
  config: JsonObject;
}

/** The ids of secrets and resources, and the sensitive inputs. */
async function usedBy({ projected }: SecretsOfDeploymentDeps['store'], { helm_chart_id, config }: Configured) {
  const chart = await projected.chart(helm_chart_id);
  const form = chart && readChart(chart).form;
  if (!form) return { secrets: [], resources: [], inputs: [] };
  const references = configReferences(form, config);
  const idsIn = (key: string) =>
    references.filter(({ collection }) => collectionKey(collection) === key).map(({ id }) => id);
  return {
    secrets: idsIn('secrets'),
    resources: idsIn('deployment_resources'),
    inputs: sensitiveTexts(form, config),
  };
}
