import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve('auth', testAuth());
});
afterAll(() => gateway[Symbol.asyncDispose]());

const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

const Responses = z.looseObject({ responses: z.record(z.string(), z.unknown()) });

const refusedBodies: [body: string, headers?: Record<string, string>][] = [
  ['{"unknown":1}'],
  ['{"cut'],
  ['x', { 'content-type': 'text/plain' }],
  [`{"unknown":"${'x'.repeat(17 * 1024)}"}`],
  [`{"unknown":"${'x'.repeat(1024 * 1024)}"}`],
];

test('the OpenAPI document needs no credential and contains the address of this server', async () => {
  const response = await fetch(`${gateway.url}/api/v2/openapi.json`);
  const { servers, paths } = Document.parse(await response.json());
  expect(servers).toEqual([{ url: 'https://berth.example.test' }]);
  expect(Object.keys(paths).length).toBeGreaterThan(30);
});

test('every documented operation has a route', async () => {
  const { paths } = Document.parse(await (await fetch(`${gateway.url}/api/v2/openapi.json`)).json());
  const answers = await Promise.all(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(async (method) => {
        const url = path.replace('{id}', id);
        const response = await gateway.send(method.toUpperCase(), url);
        // Not read: a stream of events does not end.
        await response.body?.cancel();
        return { operation: `${method} ${path}`, status: response.status };
      }),
    ),
  );
  // No owner is running: a request may be invalid or unavailable, but its route exists.
  expect(answers.filter(({ status }) => ![200, 400, 500, 503].includes(status))).toEqual([]);
});

test('refusals for a query or a body are documented, even for operations that take neither', async () => {
  const { paths } = Document.parse(await (await fetch(`${gateway.url}/api/v2/openapi.json`)).json());
  const undocumented: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { responses } = Responses.parse(operation);
      const url = path.replace('{id}', id);
      const isRead = method === 'get' || method === 'head';
      const answers = [await gateway.send(method.toUpperCase(), `${url}?unknown=1`)];
      for (const [body, headers] of isRead ? [] : refusedBodies)
        answers.push(await gateway.send(method.toUpperCase(), url, body, headers));
      for (const { status } of answers) if (!(status in responses)) undocumented.push(`${method} ${path}: ${status}`);
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    }
  }

  expect(undocumented).toEqual([]);
});

test('OPTIONS of every documented path allows the documented methods', async () => {
  const { paths } = Document.parse(await (await fetch(`${gateway.url}/api/v2/openapi.json`)).json());
  const allowed = await Promise.all(
    Object.keys(paths).map(async (path) => {
      const response = await fetch(`${gateway.url}${path.replace('{id}', id)}`, { method: 'OPTIONS' });
      await response.arrayBuffer();
      expect(response.status).toBe(405);
      return [path, response.headers.get('allow')?.toLowerCase().split(', ').toSorted()];
    }),
  );

  const documented = Object.entries(paths).map(([path, operations]) => [path, Object.keys(operations).toSorted()]);
  expect(allowed).toEqual(documented);
});

test('the page of the API reference loads from this server only', async () => {
  const page = await fetch(`${gateway.url}/api/v2/docs`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
  expect(sources).toHaveLength(3);
  for (const source of sources) expect((await fetch(new URL(source, gateway.url))).status).toBe(200);
  for (const path of ['package.json', '../package.json', '..%2fpackage.json', 'swagger-ui.css.map']) {
    expect((await fetch(`${gateway.url}/api/v2/docs/assets/${path}`)).status).toBe(404);
  }
});
