import type { Stack } from '@berth/devstack';
import { type ApiClient, type Credential, createApiClient } from '@berth/devstack/journey/api-client';
import { findSample, type Sample } from '@berth/devstack/journey/find-sample';
import { publishSampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { signInAsAda } from '@berth/devstack/journey/sign-in';

export interface Fixtures {
  api: ApiClient;
  credential: Credential;
  sample: Sample;
}

/** A signed-in admin, the sample chart in the catalogue, and an env with the cluster: what every measurement starts from. */
export async function fixturesOf(stack: Stack, signal: AbortSignal): Promise<Fixtures> {
  const credential = { header: 'x-service-token', value: await signInAsAda({ stack, signal }) } as const;
  const api = createApiClient({ url: stack.url, credential, signal });
  await publishSampleChart({ stack, signal });
  return { api, credential, sample: await findSample({ api, cluster: stack.cluster, env: 'bench', signal }) };
}
