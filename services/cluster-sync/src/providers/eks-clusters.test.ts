import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { portOf } from '@berth/testing/network/port-of';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { eksProvider } from './eks-clusters.ts';

const accessKey = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

let server: Server;
let endpoint: string;
/** The clusters of each region; those whose name begins with `broken` cannot be described. */
let clusters: Record<string, string[]>;
/** Regions whose API answers 403. */
let closed: Set<string>;
let requests: string[];

/** A fake of the EKS and account APIs, with pages of two. */
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey.id);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', accessKey.secret);
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://aws.example');
    const region = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    requests.push(`${request.method} ${url.pathname} ${region}`);
    const send = (status: number, body: object) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(status === 403 && { 'x-amzn-errortype': 'AccessDeniedException' }),
      });
      response.end(JSON.stringify(body));
    };
    const page = <T>(all: readonly T[], from: string | null | undefined) => {
      const start = Number(from ?? 0);
      return { items: all.slice(start, start + 2), next: start + 2 < all.length ? String(start + 2) : undefined };
    };

    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (url.pathname === '/listRegions') {
        const { items, next } = page(Object.keys(clusters), JSON.parse(body).NextToken);
        return send(200, { Regions: items.map((RegionName) => ({ RegionName })), NextToken: next });
      }
      if (closed.has(region)) return send(403, { message: 'not for you' });
      if (url.pathname === '/clusters') {
        const { items, next } = page(clusters[region] ?? [], url.searchParams.get('nextToken'));
        return send(200, { clusters: items, nextToken: next });
      }
      const name = url.pathname.replace('/clusters/', '');
      if (name.startsWith('broken')) return send(403, { message: 'not this one' });
      const isCreating = name.startsWith('creating');
      return send(200, {
        cluster: {
          name,
          arn: `arn:aws:eks:${region}:111122223333:cluster/${name}`,
          ...(!isCreating && {
            endpoint: `https://${name}.eks.example`,
            certificateAuthority: { data: Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64') },
          }),
        },
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${portOf(server)}`;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
beforeEach(() => {
  clusters = { 'eu-west-1': ['one', 'two', 'three'], 'us-east-1': ['four'], 'ap-south-1': [] };
  closed = new Set();
  requests = [];
});

const find = (regions: string[] | null = null) =>
  eksProvider({ regions, endpoint }, 1_000).find(AbortSignal.timeout(20_000));

test('the EKS clusters of all enabled regions are found, page by page', async () => {
  const { clusters: found, unread } = await find();

  expect(unread).toEqual([]);
  expect(found.map(({ provider_id, region_name }) => [provider_id, region_name])).toEqual([
    ['arn:aws:eks:eu-west-1:111122223333:cluster/one', 'eu-west-1'],
    ['arn:aws:eks:eu-west-1:111122223333:cluster/two', 'eu-west-1'],
    ['arn:aws:eks:eu-west-1:111122223333:cluster/three', 'eu-west-1'],
    ['arn:aws:eks:us-east-1:111122223333:cluster/four', 'us-east-1'],
  ]);
  expect(found[0]).toMatchObject({
    name: 'one',
    refused: null,
    access: { server: 'https://one.eks.example', ca: '-----BEGIN CERTIFICATE-----', token: null },
  });
  expect(requests.filter((request) => request.includes('/listRegions'))).toHaveLength(2);
});

test('only the listed regions are requested', async () => {
  const { clusters: found } = await find(['us-east-1']);

  expect(found.map(({ name }) => name)).toEqual(['four']);
  expect(new Set(requests.map((request) => request.split(' ')[2]))).toEqual(new Set(['us-east-1']));
});

test('a region or cluster that AWS refuses to describe does not affect others', async () => {
  closed.add('eu-west-1');
  clusters['us-east-1'] = ['four', 'broken', 'five'];

  const { clusters: found, unread } = await find();

  expect(found.map(({ name }) => name)).toEqual(['four', 'five']);
  expect(unread).toEqual([
    { prefix: 'arn:aws:eks:eu-west-1:', reason: 'eu-west-1: AccessDeniedException' },
    { prefix: 'arn:aws:eks:us-east-1:', reason: 'broken in us-east-1: AccessDeniedException' },
  ]);
});

test('a region with too many EKS clusters is left out, with the limit as the reason', async () => {
  clusters['us-east-1'] = Array.from({ length: 1_001 }, (_, n) => `c${n}`);

  const { unread } = await find();

  expect(unread).toEqual([{ prefix: 'arn:aws:eks:us-east-1:', reason: 'us-east-1: more than 1000 clusters' }]);
});

test('an EKS cluster that is being created is refused until it has an address', async () => {
  clusters = { 'us-east-1': ['creating'] };

  expect((await find()).clusters).toMatchObject([{ access: null, refused: 'EKS has no address for it yet' }]);
});

test('the error for a refusal of AWS does not quote the answer', async () => {
  const away = eksProvider({ regions: null, endpoint: 'http://127.0.0.1:9' }, 1_000).find(AbortSignal.timeout(20_000));

  await expect(away).rejects.toThrow(/^the regions of the AWS account cannot be read: \w+$/);
});

test('the token of an EKS cluster is a request to STS that names the cluster, signed for one minute', async () => {
  const [cluster] = (await find(['us-east-1'])).clusters;
  const present = await cluster?.token?.current(AbortSignal.timeout(5_000));

  const [prefix, encoded = ''] = (present?.token ?? '').split(/\.(.*)/s);
  const url = new URL(Buffer.from(encoded, 'base64url').toString());
  expect(prefix).toBe('k8s-aws-v1');
  expect(url.host).toBe('sts.us-east-1.amazonaws.com');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    Action: 'GetCallerIdentity',
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Signature': signatureOf(url, { host: url.host, 'x-k8s-aws-id': 'four' }),
  });
  expect(signatureOf(url, { host: url.host, 'x-k8s-aws-id': 'another' })).not.toBe(
    url.searchParams.get('X-Amz-Signature'),
  );
  expect(Date.parse(present?.expiresAt ?? '')).toBeGreaterThan(Date.now() + 10 * 60_000);
  expect((await cluster?.token?.current(AbortSignal.timeout(5_000)))?.token).toBe(present?.token);
});

/** Signature version 4 of a presigned URL, computed by the AWS documentation instead of the SDK. */
function signatureOf(url: URL, headers: Record<string, string>): string {
  const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const names = Object.keys(headers).sort();
  const canonical = [
    'GET',
    '/',
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    hash('sha256', ''),
  ].join('\n');
  const [, date = '', region = '', service = ''] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const toSign = [
    'AWS4-HMAC-SHA256',
    url.searchParams.get('X-Amz-Date'),
    `${date}/${region}/${service}/aws4_request`,
    hash('sha256', canonical),
  ].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${accessKey.secret}`);
  return hmac(key, toSign).toString('hex');
}
