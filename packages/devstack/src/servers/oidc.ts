import { generateKeyPair } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { OidcConfig } from './oidc/oidc-config.ts';
import { rememberedPorts, rememberedSecrets, writePrivately } from './remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from './server-process.ts';

export interface OidcStart extends ServerStart {
  /** The only client, a confidential one. */
  readonly clientId: string;
  readonly redirectUris: readonly string[];
  /** Its public address, if others cannot reach it on loopback, where it listens. */
  readonly host?: string;
}

export interface OidcServer extends RunningServer {
  readonly issuer: string;
  readonly port: number;
  readonly clientSecret: string;
}

const LOOPBACK = '127.0.0.1';
const main = fileURLToPath(new URL('./oidc/oidc-main.ts', import.meta.url));

/** Starts an OpenID Connect provider at which users sign in by choosing a person. Its address and keys stay the same. */
export async function startOidc({
  stateFolder,
  clientId,
  redirectUris,
  host = LOOPBACK,
  guard,
  signal,
}: OidcStart): Promise<OidcServer> {
  const folder = join(stateFolder, 'oidc');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { oidc: port } = await rememberedPorts(join(folder, 'ports.json'), ['oidc']);
  const { client: clientSecret, cookies: cookieKey } = await rememberedSecrets(join(folder, 'secrets.json'), [
    'client',
    'cookies',
  ]);
  const signingKey = await rememberedSigningKey(join(folder, 'signing-key.json'));
  const issuer = `http://${host}:${port}`;
  const config: OidcConfig = {
    issuer,
    port,
    clientId,
    clientSecret,
    redirectUris: [...redirectUris],
    cookieKey,
    signingKey,
  };
  const configFile = join(folder, 'oidc.json');
  await writePrivately(configFile, JSON.stringify(config, null, 2));

  const page = `http://${LOOPBACK}:${port}/.well-known/openid-configuration`;
  const server = await startServerProcess({
    name: 'oidc',
    command: [process.execPath, main, configFile],
    logFile: join(folder, 'oidc.log'),
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(stateFolder, 'compile-cache') },
    guard,
    signal,
    isReady: async (probe) => (await fetch(page, { signal: probe })).ok,
  });
  return { ...server, issuer, port, clientSecret };
}

/** Tokens that were signed before a restart stay valid. */
async function rememberedSigningKey(file: string): Promise<Record<string, string>> {
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return SigningKey.parse(JSON.parse(kept));
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const key = SigningKey.parse({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  await writePrivately(file, JSON.stringify(key));
  return key;
}

const SigningKey = z.record(z.string(), z.string());
