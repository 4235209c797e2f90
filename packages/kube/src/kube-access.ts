import { cutText } from '@berth/contracts/cut-text';
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import type { Kubeconfig } from './kubeconfig.ts';

/** Everything needed to reach one cluster. It holds credentials: never log it. */
export interface KubeAccess {
  readonly server: string;
  /** PEM; null if the server's certificate comes from a public authority. */
  readonly ca: string | null;
  readonly token: string | null;
  readonly certificate: { readonly cert: string; readonly key: string } | null;
  /** Replaces `token`: a file that another program keeps fresh. Only if the operator allows it. */
  readonly tokenFile?: string;
  /** The server's certificate is not checked. Only if the operator allows it. */
  readonly isInsecure?: true;
  /** An HTTP proxy on the way to the server, with its credential if it has one. Only if the operator allows it. */
  readonly proxyUrl?: string;
  /** Replaces `token`: a program that prints one. Only if the operator allows it. */
  readonly exec?: ExecProgram;
}

/** A client-go credential plugin. */
export interface ExecProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
}

/**
 * Fields of a kubeconfig that are refused unless the operator allows them. Other refused fields cannot be allowed, such as
 * `auth-provider`, which kubectl itself has removed.
 */
export const allowedFields = ['insecure-skip-tls-verify', 'proxy-url', 'tokenFile', 'exec'] as const;
export type AllowedField = (typeof allowedFields)[number];

export type KubeAccessResult = { readonly access: KubeAccess } | { readonly refused: string };

type Fields = Record<string, unknown>;

const clusterFields = ['server', 'certificate-authority-data', 'tls-server-name', 'disable-compression', 'extensions'];
const userFields = ['token', 'client-certificate-data', 'client-key-data', 'extensions'];

/**
 * The access that a context gives, or why it is refused. Only what lies in the kubeconfig itself is accepted: `exec` and
 * `auth-provider` run programs, paths read this machine's files, and `insecure-skip-tls-verify` hands the credential to any server
 * that answers. A field is refused by name unless it is known to be harmless, or the operator allows it.
 */
export function kubeAccessOf(
  kubeconfig: Kubeconfig,
  contextName: string,
  allowed: ReadonlySet<AllowedField> = new Set(),
): KubeAccessResult {
  const context = kubeconfig.contexts.find(({ name }) => name === contextName)?.context;
  if (!context) return { refused: 'there is no such context' };
  const cluster = kubeconfig.clusters.find(({ name }) => name === context.cluster)?.cluster;
  if (!cluster) return { refused: 'its cluster is not in the file' };
  const user = kubeconfig.users.find(({ name }) => name === context.user)?.user;
  if (!user) return { refused: 'its user is not in the file' };

  try {
    return { access: accessFrom(cluster, user, allowed) };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

class Refusal extends Error {}

function accessFrom(cluster: Fields, user: Fields, allowed: ReadonlySet<AllowedField>): KubeAccess {
  refuseOthers(cluster, [...clusterFields, ...allowed], 'cluster');
  refuseOthers(user, [...userFields, ...allowed], 'user');

  const server = serverOf(cluster);
  const ca = pem(cluster, 'certificate-authority-data');
  const tokenFile = text(user, 'tokenFile');
  const exec = execOf(user['exec']);
  // As in kubectl, the file wins.
  const token = tokenFile === null && exec === null ? text(user, 'token') : null;
  const cert = pem(user, 'client-certificate-data');
  const key = pem(user, 'client-key-data');
  if ((cert === null) !== (key === null)) {
    throw new Refusal('client-certificate-data and client-key-data go together');
  }
  if (exec !== null && (tokenFile !== null || text(user, 'token') !== null || cert !== null)) {
    throw new Refusal('exec goes with no other credential');
  }
  if (token === null && tokenFile === null && exec === null && cert === null)
    throw new Refusal('its user has neither a token nor a client certificate');

  const access: KubeAccess = {
    server,
    ca,
    token,
    certificate: cert !== null && key !== null ? { cert, key } : null,
    ...(tokenFile !== null && { tokenFile }),
    ...(exec !== null && { exec }),
    ...(cluster['insecure-skip-tls-verify'] === true && { isInsecure: true }),
    ...proxyOf(cluster),
  };
  checkCertificates(access);
  return access;
}

function refuseOthers(fields: Fields, accepted: string[], where: string): void {
  for (const [name, value] of Object.entries(fields)) {
    const isSet = value !== null && value !== '' && value !== false;
    if (isSet && !accepted.includes(name)) throw new Refusal(`the ${where} field ${cutText(name, 60)} is not accepted`);
  }
}

function serverOf(cluster: Fields): string {
  const server = text(cluster, 'server');
  const url = server !== null && URL.canParse(server) ? new URL(server) : null;
  if (url?.protocol !== 'https:') throw new Refusal('server is not an https URL');
  if (url.username || url.password) throw new Refusal('server carries a credential');

  const expected = text(cluster, 'tls-server-name');
  if (expected !== null && expected !== url.hostname) throw new Refusal('tls-server-name differs from the server');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function proxyOf(cluster: Fields): { proxyUrl?: string } {
  const proxyUrl = text(cluster, 'proxy-url');
  if (proxyUrl === null) return {};
  const protocol = URL.canParse(proxyUrl) ? new URL(proxyUrl).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw new Refusal('proxy-url is not an http or https URL');
  return { proxyUrl };
}

const words = z.array(z.string().max(4096)).max(100).nullish();
const Exec = z.strictObject({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string().min(1).max(4096),
  args: words,
  env: z
    .array(z.object({ name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), value: z.string().max(32_768) }))
    .max(100)
    .nullish(),
  installHint: z.string().nullish(),
  interactiveMode: z.enum(['Never', 'IfAvailable']).nullish(),
  provideClusterInfo: z.literal(false).nullish(),
});

function execOf(exec: unknown): ExecProgram | null {
  if (exec === undefined || exec === null || exec === '') return null;
  const { data, error } = Exec.safeParse(exec);
  if (!data) {
    // Paths only: a value may be a secret.
    const [issue] = error.issues;
    const path = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? []);
    throw new Refusal(`exec cannot be used: ${cutText(['exec', ...path].join('.'), 60)} is not accepted`);
  }
  const { command, args, env, apiVersion } = data;
  const values = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return { command, args: args ?? [], env: values, apiVersion };
}

function text(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new Refusal(`${name} is not a text`);
  return value.trim();
}

function pem(fields: Fields, name: string): string | null {
  const encoded = text(fields, name);
  if (encoded === null) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  if (!decoded.includes('-----BEGIN ')) throw new Refusal(`${name} is not base64 of a PEM document`);
  return decoded;
}

function checkCertificates({ ca, certificate }: KubeAccess): void {
  try {
    // createSecureContext silently accepts a CA that is not a certificate, and then trusts no server.
    if (ca !== null) void new X509Certificate(ca);
    // Only a major garbage collection frees a context, so one is made only if there is something to check.
    if (certificate !== null) createSecureContext(certificate);
  } catch {
    // OpenSSL's message may quote its input.
    throw new Refusal('its certificates or key cannot be read, or do not belong together');
  }
}
