// The certificate library requires this, because it registers its parts by decorators.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { z } from 'zod';
import { writePrivately } from '../remembered.ts';
import { API_SERVICE_ADDRESS, NODE_ADDRESS } from './addresses.ts';

interface KeyPairFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Paths of the cluster's certificates and keys, and PEM texts for a kubeconfig. */
export interface Certificates {
  readonly authority: string;
  readonly server: KeyPairFiles;
  readonly admin: KeyPairFiles;
  readonly serviceAccount: { readonly publicKey: string; readonly key: string };
  readonly pem: { readonly authority: string; readonly adminCertificate: string; readonly adminKey: string };
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
// Long, because only this machine trusts them, and a stack that fails after a year would be hard to explain.
const LIFETIME_MS = 10 * 365 * 24 * 3600_000;

const Pems = z.object({
  authority: z.string(),
  serverCertificate: z.string(),
  serverKey: z.string(),
  adminCertificate: z.string(),
  adminKey: z.string(),
  serviceAccountPublicKey: z.string(),
  serviceAccountKey: z.string(),
});
type Pems = z.infer<typeof Pems>;

/** The certificates in `folder`, created at the first start. The authority's key is not stored, because it signs only once. */
export async function ensureCertificates(folder: string): Promise<Certificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = join(folder, 'certificates.json');
  const text = await readFile(kept, 'utf8').catch(() => undefined);
  const pems = text === undefined ? await makeCertificates() : Pems.parse(JSON.parse(text));
  if (text === undefined) await writePrivately(kept, JSON.stringify(pems));

  const write = async (name: string, pem: string) => {
    await writePrivately(join(folder, name), pem);
    return join(folder, name);
  };
  return {
    authority: await write('ca.crt', pems.authority),
    server: {
      certificate: await write('server.crt', pems.serverCertificate),
      key: await write('server.key', pems.serverKey),
    },
    admin: {
      certificate: await write('admin.crt', pems.adminCertificate),
      key: await write('admin.key', pems.adminKey),
    },
    serviceAccount: {
      publicKey: await write('service-account.pub', pems.serviceAccountPublicKey),
      key: await write('service-account.key', pems.serviceAccountKey),
    },
    pem: { authority: pems.authority, adminCertificate: pems.adminCertificate, adminKey: pems.adminKey },
  };
}

async function makeCertificates(): Promise<Pems> {
  const authorityKeys = await newKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: 'CN=berth-local',
    keys: authorityKeys,
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const issue = issuer(authority, authorityKeys.privateKey);

  const server = await issue('CN=kube-apiserver', [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    new SubjectAlternativeNameExtension([
      { type: 'ip', value: '127.0.0.1' },
      // The names that pods of a real node use.
      { type: 'ip', value: NODE_ADDRESS },
      { type: 'ip', value: API_SERVICE_ADDRESS },
      { type: 'dns', value: 'localhost' },
      { type: 'dns', value: 'kubernetes.default.svc' },
    ]),
  ]);
  const admin = await issue('CN=berth-admin, O=system:masters', [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
  ]);
  const serviceAccount = await newKeys();
  return {
    authority: authority.toString('pem'),
    serverCertificate: server.certificate,
    serverKey: server.key,
    adminCertificate: admin.certificate,
    adminKey: admin.key,
    serviceAccountPublicKey: await pemOf('spki', serviceAccount.publicKey),
    serviceAccountKey: await pemOf('pkcs8', serviceAccount.privateKey),
  };
}

const issuer =
  (authority: X509Certificate, signingKey: webcrypto.CryptoKey) =>
  async (subject: string, extensions: (ExtendedKeyUsageExtension | SubjectAlternativeNameExtension)[]) => {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      ...validity(),
      subject,
      issuer: authority.subject,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: SIGNING,
      extensions: [new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true), ...extensions],
    });
    return { certificate: certificate.toString('pem'), key: await pemOf('pkcs8', keys.privateKey) };
  };

// The certificates stay valid if the clock is set back a little.
const validity = () => ({ notBefore: new Date(Date.now() - 3600_000), notAfter: new Date(Date.now() + LIFETIME_MS) });

const newKeys = () => webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);

const pemOf = async (format: 'spki' | 'pkcs8', key: webcrypto.CryptoKey) =>
  PemConverter.encode(
    await webcrypto.subtle.exportKey(format, key),
    format === 'spki' ? PemConverter.PublicKeyTag : PemConverter.PrivateKeyTag,
  );
