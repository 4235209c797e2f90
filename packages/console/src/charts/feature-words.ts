import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';

const partOf = (features: JsonObject, name: string): JsonObject => {
  const part: JsonValue | undefined = features[name];
  return isJsonObject(part) ? part : {};
};

/** What the features of a chart mean for its deployments, as far as they differ from what is usual. */
export function featureWords(features: JsonObject | null): string[] {
  if (features === null) return [];
  const [ingress, status, wait] = [partOf(features, 'ingress'), partOf(features, 'status'), partOf(features, 'wait')];
  const seconds = wait['timeout_secs'];
  return [
    ...(ingress['enabled'] === true ? ['has an ingress with a host of its own'] : []),
    ...(typeof status['path'] === 'string' ? [`reports its status at ${status['path']}`] : []),
    ...(features['cardinality'] === 'OnePerCluster' ? ['runs once per cluster'] : []),
    ...(features['reinstall_dependencies'] === false ? ['is not reinstalled when what it uses changes'] : []),
    ...(wait['enabled'] === false ? ['is done without waiting for its pods'] : []),
    ...(wait['enabled'] !== false && typeof seconds === 'number' && seconds !== usualSeconds
      ? [`has ${seconds} s to become ready`]
      : []),
  ];
}

const usualSeconds = 300;
