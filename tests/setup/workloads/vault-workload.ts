import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { portOf } from '@berth/testing/network/port-of';
import { z } from 'zod';

/** The workload's answer to a call with a valid token. */
type Mood = { status: number; words: (call: { token: string; body: string }) => string };

const Resource = z.object({ id: z.uuid(), name: z.string(), props: z.record(z.string(), z.unknown()) });
const Claims = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  call: z.object({ method: z.string(), path: z.string() }),
});

export interface VaultWorkload extends AsyncDisposable {
  readonly port: number;
  readonly ca: string;
  /** A name for which its certificate is valid. */
  readonly host: { name: string; domain: string };
  /** URL of the platform's keys, and the required audience of tokens. */
  trust: { url: string; audience: string };
  mood: Mood | null;
  /** Resources by id, as created by the calls. */
  readonly vaults: Map<string, z.infer<typeof Resource>>;
  /** The calls with a valid token. */
  readonly calls: { method: string; id: string; token: string }[];
  readonly refused: string[];
}

/** The process behind the ingress of a chart that manages resources: it accepts only tokens of the platform. */
export async function startVaultWorkload(): Promise<VaultWorkload> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-vault-'));
  const { server: files, pem } = await ensureCertificates(folder);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  await rm(folder, { recursive: true, force: true });

  const server = createServer({ cert, key }, (request, response) => {
    void (async () => {
      const body = await text(request).catch(() => '');
      const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
      const { method = '', url = '' } = request;
      const why = await whyNot(token, { method, path: url, ...workload.trust });
      if (why !== null) {
        workload.refused.push(why);
        return response.writeHead(401).end(why);
      }
      const resource = Resource.parse(JSON.parse(body));
      workload.calls.push({ method, id: resource.id, token });
      if (workload.mood) return response.writeHead(workload.mood.status).end(workload.mood.words({ token, body }));
      if (method === 'DELETE') workload.vaults.delete(resource.id);
      else workload.vaults.set(resource.id, resource);
      return response.writeHead(200).end();
    })().catch((error: unknown) => {
      workload.refused.push(String(error));
      response.writeHead(500).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const workload: VaultWorkload = {
    port,
    ca: pem.authority,
    // The certificate of the local API server is also valid for this name.
    host: { name: 'kubernetes', domain: 'default.svc' },
    trust: { url: '', audience: '' },
    mood: null,
    vaults: new Map(),
    calls: [],
    refused: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return workload;
}

const Jwks = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });
const Header = z.object({ typ: z.string(), alg: z.string(), kid: z.string() });
const part = (encoded = ''): unknown => JSON.parse(Buffer.from(encoded, 'base64url').toString());

/** Why a token is refused; null if it proves that the platform made this call. */
async function whyNot(
  token: string,
  { method, path, url, audience }: { method: string; path: string; url: string; audience: string },
): Promise<string | null> {
  const [head = '', payload = '', signature = ''] = token.split('.');
  if (signature === '') return 'no token';
  const { typ, alg, kid } = Header.parse(part(head));
  if (typ !== 'call+jwt' || alg !== 'EdDSA') return `a token of type ${typ} and algorithm ${alg}`;
  const { keys } = Jwks.parse(await (await fetch(`${url}/.well-known/jwks.json`)).json());
  const jwk = keys.find((each) => each.kid === kid);
  if (!jwk) return `no key ${kid}`;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (!verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))) return 'forged';
  const { iss, aud, exp, call } = Claims.parse(part(payload));
  if (iss !== url || aud !== audience) return `issued by ${iss} for ${aud}`;
  if (exp * 1_000 < Date.now()) return 'expired';
  return call.method === method && call.path === path ? null : `for ${call.method} ${call.path}`;
}
