import { type Client, createClient } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { findSample, type Sample } from '@berth/devstack/journey/find-sample';
import { publishSampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { signInAsAda } from '@berth/devstack/journey/sign-in';

export interface Fixtures {
  api: Client;
  token: string;
  sample: Sample;
}

/** A signed-in admin, the sample chart in the catalogue, and an env with the cluster: what every measurement starts from. */
export async function fixturesOf(stack: Stack, signal: AbortSignal): Promise<Fixtures> {
  const token = await signInAsAda({ stack, signal });
  const api = createClient({ baseUrl: stack.url, credential: () => ({ token }), signal });
  await publishSampleChart({ stack, signal });
  return { api, token, sample: await findSample({ api, cluster: stack.cluster, env: 'bench', signal }) };
}
