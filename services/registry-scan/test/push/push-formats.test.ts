import { createHmac } from 'node:crypto';
import { silentLog } from '@berth/testing/test-bus';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PushHint } from '../../src/connection/push-hint.ts';
import { type PushListener, startPushListener } from '../../src/push/push-listener.ts';

const token = 'agreed-upon-beforehand';
const digest = `sha256:${'ab'.repeat(32)}`;

let hints: PushHint[];
let listener: PushListener;
beforeEach(async () => {
  hints = [];
  const onHints = async (more: PushHint[]) => void hints.push(...more);
  const createdTokenOf = async () => null;
  listener = await startPushListener({ host: '127.0.0.1', port: 0, token, createdTokenOf, onHints, log: silentLog });
});
afterEach(() => listener?.[Symbol.asyncDispose]());

async function post(path: string, body: unknown, headers: Record<string, string>): Promise<number> {
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`http://127.0.0.1:${listener.port}${path}`, init)).status;
}
const bearer = { authorization: `Bearer ${token}` };
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`berth:${password}`).toString('base64')}`,
});
const signed = (body: unknown, secret = token) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')}`,
});

const harbor = (type: string, resource: object = {}) => ({
  type,
  occur_at: 1680501893,
  operator: 'admin',
  event_data: {
    resources: [{ digest, tag: '1.0.0', resource_url: 'harbor.example.com/charts/web:1.0.0', ...resource }],
    repository: {
      date_created: 1680501893,
      name: 'web',
      namespace: 'charts',
      repo_full_name: 'charts/web',
      repo_type: 'private',
    },
  },
});

describe('push events of Harbor', () => {
  const host = 'harbor.example.com';

  test('name the pushed tag', async () => {
    expect(await post('/events/harbor', harbor('PUSH_ARTIFACT'), bearer)).toBe(202);
    expect(hints).toEqual([{ host, repository: 'charts/web', tag: '1.0.0', digest }]);
  });

  test('name the repository of a deletion', async () => {
    expect(await post('/events/harbor', harbor('DELETE_ARTIFACT'), bearer)).toBe(202);
    expect(hints).toEqual([{ host, repository: 'charts/web', tag: null, digest: null }]);
  });

  test('of another kind, or with a digest in place of a tag, name nothing', async () => {
    expect(await post('/events/harbor', harbor('PULL_ARTIFACT'), bearer)).toBe(202);
    expect(await post('/events/harbor', harbor('PUSH_ARTIFACT', { tag: digest }), bearer)).toBe(202);
    expect(hints).toEqual([]);
  });
});

describe('push events of Zot', () => {
  const data = { name: 'charts/web', reference: '1.0.0', digest, mediaType: 'application/x', manifest: '{}' };

  test.for(['zotregistry.image.updated', 'com.example.registry.image.updated'])(
    'of the type %s name the pushed tag',
    async (type) => {
      expect(await post('/events/zot', data, { ...basic(token), 'ce-type': type })).toBe(202);
      expect(hints).toEqual([{ host: null, repository: 'charts/web', tag: '1.0.0', digest }]);
    },
  );

  test('name the repository of a deletion', async () => {
    expect(await post('/events/zot', data, { ...bearer, 'ce-type': 'zotregistry.image.deleted' })).toBe(202);
    expect(hints).toEqual([{ host: null, repository: 'charts/web', tag: null, digest: null }]);
  });

  test('of another type name nothing', async () => {
    expect(await post('/events/zot', data, { ...bearer, 'ce-type': 'zotregistry.repository.created' })).toBe(202);
    expect(hints).toEqual([]);
  });
});

describe('push events of GitHub packages', () => {
  const event = {
    action: 'published',
    registry_package: {
      name: 'charts/web',
      namespace: 'Example',
      ecosystem: 'CONTAINER',
      package_version: { container_metadata: { tag: { name: '1.0.0', digest } } },
    },
  };

  test('name the pushed tag', async () => {
    expect(await post('/events/github', event, signed(event))).toBe(202);
    expect(hints).toEqual([{ host: 'ghcr.io', repository: 'example/charts/web', tag: '1.0.0', digest }]);
  });

  test('are accepted when the webhook is created', async () => {
    const ping = { zen: 'Design for failure.' };

    expect(await post('/events/github', ping, { ...signed(ping), 'x-github-event': 'ping' })).toBe(202);
    expect(hints).toEqual([]);
  });
});

test.for<[string, string, Record<string, string>]>([
  ['Harbor without the token', '/events/harbor', {}],
  ['Harbor with another token', '/events/harbor', { authorization: 'Bearer other' }],
  ['Harbor with a password', '/events/harbor', basic(token)],
  ['Zot without a password', '/events/zot', {}],
  ['Zot with another password', '/events/zot', basic('other')],
  ['Zot with a user in place of the password', '/events/zot', { authorization: `Basic ${btoa(token)}` }],
  ['GitHub without a signature', '/events/github', {}],
  ['GitHub with a token in place of the signature', '/events/github', bearer],
  ['GitHub with the signature of another secret', '/events/github', signed(harbor('PUSH_ARTIFACT'), 'other')],
  ['GitHub with the signature of another body', '/events/github', signed({})],
])('a push event of %s is refused', async ([, path, headers]) => {
  expect(await post(path, harbor('PUSH_ARTIFACT'), headers)).toBe(401);
  expect(hints).toEqual([]);
});

test.for(['/events/harbor', '/events/zot'])('a body that is not an event is refused at %s', async (path) => {
  expect(await post(path, [], bearer)).toBe(400);
});
