import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Claims } from '@berth/devstack/servers/oidc/create-provider';
import { createOidcServer } from '@berth/devstack/servers/oidc/create-oidc-server';
import { freePort } from '@berth/testing/network/free-port';
import { exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** People who can sign in, by subject; tests may change them. */
  readonly people: Map<string, Claims>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface RealProviderOptions {
  redirectUri: string;
  claimsOnlyInUserInfo?: boolean;
}

/** The provider of the local stack in this process, with accounts of the test. */
export async function startRealProvider({
  redirectUri,
  claimsOnlyInUserInfo,
}: RealProviderOptions): Promise<RealProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ['berth', `${randomBytes(24).toString('base64')}:+ %`];
  const people = new Map<string, Claims>();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signingKey = z
    .record(z.string(), z.string())
    .parse({ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' });

  const server = createOidcServer(
    {
      issuer,
      port,
      clientId,
      clientSecret,
      redirectUris: [redirectUri],
      cookieKey: randomBytes(16).toString('hex'),
      signingKey,
    },
    { claimsOf: (subject) => people.get(subject), claimsOnlyInUserInfo },
  );
  const start = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async () => {
    server.close();
    server.closeAllConnections();
  };
  await start();
  return { issuer, clientId, clientSecret, people, start, stop, [Symbol.asyncDispose]: stop };
}
