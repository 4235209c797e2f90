import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, type StackStart, startStack } from '@berth/devstack';
import { type ApiClient, createApiClient } from '@berth/devstack/journey/api-client';
import { findSample, type Sample } from '@berth/devstack/journey/find-sample';
import { publishSampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { Me } from '@berth/devstack/journey/rows';
import { signIn, signInAsAda } from '@berth/devstack/journey/sign-in';
import { z } from 'zod';

export interface Platform extends AsyncDisposable {
  stack: Stack;
  /** Of Ada, a site admin. */
  admin: ApiClient;
  adminToken: string;
  /** A client without any credential. */
  anonymous: ApiClient;
  /** A person of the identity provider, signed in for the first time and activated by Ada. */
  person(name: 'grace' | 'linus'): Promise<{ id: string; api: ApiClient; session: string }>;
  /** The sample chart in the catalogue, and the cluster in an env of that name. */
  sample(env: string): Promise<Sample>;
}

const lifetimeMs = 20 * 60_000;

/** The whole platform, for one test file, in a folder of its own. */
export async function startPlatform(options: Partial<StackStart> = {}): Promise<Platform> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-platform-'));
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(lifetimeMs)]);
  const stack = await startStack({
    stateFolder,
    env: process.env,
    log: () => undefined,
    signal,
    durable: false,
    ...options,
  });

  const dispose = async () => {
    stopping.abort();
    await stack.stop();
    await rm(stateFolder, { recursive: true, force: true });
  };
  try {
    const adminToken = await signInAsAda({ stack, signal });
    const clientOf = (header: 'x-service-token' | 'authorization', value: string) =>
      createApiClient({ url: stack.url, credential: { header, value }, signal });
    const admin = clientOf('x-service-token', adminToken);
    return {
      stack,
      admin,
      adminToken,
      anonymous: createApiClient({ url: stack.url, signal }),
      async person(name) {
        const session = await signIn({ stack, signal }, name);
        const [user] = await admin.list(`/users?email=${name}@example.test`, z.object({ id: z.uuid() }));
        if (!user) throw new Error(`${name} is not there after signing in`);
        await admin.send('PUT', `/users/${user.id}`, { is_active: true }, z.unknown());
        const api = clientOf('authorization', `Bearer ${session}`);
        await api.get('/auth/me', Me);
        return { id: user.id, api, session };
      },
      async sample(env) {
        await publishSampleChart({ stack, signal });
        return findSample({ api: admin, cluster: stack.cluster, env, signal });
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
