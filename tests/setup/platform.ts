import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type Credential, unwrap } from '@berth/client';
import { type Stack, type StackStart, startStack } from '@berth/devstack';
import { findSample, type Sample } from '@berth/devstack/journey/find-sample';
import { publishSampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { signIn, signInAsAda } from '@berth/devstack/journey/sign-in';

export interface Platform extends AsyncDisposable {
  stack: Stack;
  /** Signed in as Ada, a site admin. */
  admin: Client;
  adminToken: string;
  /** A client without any credential. */
  anonymous: Client;
  /** Signs a person in for the first time and activates the user. */
  person(name: 'grace' | 'linus'): Promise<{ id: string; api: Client; session: string }>;
  /** Publishes the sample chart and puts the cluster into an env with this name. */
  sample(env: string): Promise<Sample>;
}

const lifetimeMs = 20 * 60_000;

/** The whole platform for one test file, in a temporary folder. */
export async function startPlatform(options: Partial<StackStart> = {}): Promise<Platform> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-platform-'));
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(lifetimeMs)]);
  const removeState = () => rm(stateFolder, { recursive: true, force: true });
  const stack = await startStack({
    stateFolder,
    env: process.env,
    log: () => undefined,
    signal,
    durable: false,
    ...options,
  }).catch(async (error: unknown) => {
    await removeState();
    throw error;
  });

  const dispose = async () => {
    stopping.abort();
    await stack.stop();
    await removeState();
  };
  try {
    const adminToken = await signInAsAda({ stack, signal });
    // No repeats: tests check the first answer, even a 503.
    const clientOf = (credential: Credential | null) =>
      createClient({ baseUrl: stack.url, credential: () => credential, signal, patience: { ms: 0 } });
    const admin = clientOf({ token: adminToken });
    return {
      stack,
      admin,
      adminToken,
      anonymous: clientOf(null),
      async person(name) {
        const session = await signIn({ stack, signal }, name);
        const [user] = unwrap(await admin.users.list({ query: { email: `${name}@example.test` } })).items;
        if (!user) throw new Error(`signing in created no user ${name}`);
        unwrap(await admin.users.update({ id: user.id, body: { is_active: true } }));
        const api = clientOf({ jwt: session });
        unwrap(await api.me.get());
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
