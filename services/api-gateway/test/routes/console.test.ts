import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemOf } from '../support/problem-of.ts';
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' }) =>
  fetch(`${gateway.url}${path}`, { headers });

/** The files that the page loads, by their addresses. */
const filesOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, file = '']) => file);

describe('the console', () => {
  test.for([
    ['/'],
    ['/auth/idp/callback?code=x'],
    ['/deployments/6f1f3c0e'],
    ['/profile/user-tokens'],
    ['/admin/users?env=x'],
  ])(
    'the page at %s has no inline scripts, never turns text into markup, and loads nothing from other servers',
    async ([path = '']) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'/,
      );
      expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('cache-control')).toBe('no-store');

      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=| on\w+=|https?:/);
      expect(filesOf(html).length).toBeGreaterThanOrEqual(2);
    },
  );

  test('its files are kept by browsers for good, and are sent as they were compressed when they were built', async () => {
    for (const file of filesOf(await (await get('/')).text())) {
      const plain = await get(file, { 'accept-encoding': 'identity' });
      expect([file, plain.status, plain.headers.get('content-encoding')]).toEqual([file, 200, null]);
      expect(plain.headers.get('content-type')).toMatch(/javascript|css|svg/);
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const compressed = await get(file, { 'accept-encoding': 'br' });
      expect([compressed.headers.get('content-encoding'), await compressed.text()]).toEqual(['br', await plain.text()]);
    }
  });

  test('paths of the API that do not exist are errors, also for browsers', async () => {
    for (const path of [
      '/api/v2/nothing',
      '/api',
      '/auth/other',
      '/.well-known/other',
      '/console/other',
      '/console/assets/no.js',
    ]) {
      expect([path, await problemOf(await get(path))]).toMatchObject([path, { status: 404, code: 'not_found' }]);
    }
  });

  test('other paths do not exist for programs', async () => {
    const asProgram = await get('/deployments', { accept: 'application/json' });
    expect(await problemOf(asProgram)).toMatchObject({ status: 404 });
    const posted = await fetch(`${gateway.url}/deployments`, { method: 'POST', headers: { accept: 'text/html' } });
    expect(await problemOf(posted)).toMatchObject({ status: 404 });
  });

  test('the callback path allows only POST for clients that do not accept HTML', async () => {
    const response = await get('/auth/idp/callback?code=x', { accept: 'application/json' });
    expect(response.headers.get('allow')).toBe('POST');
    expect(await problemOf(response)).toMatchObject({ status: 405 });
  });

  test('no other files are served below its path', async () => {
    for (const path of ['../package.json', '..%2fpackage.json', '.hidden', '']) {
      expect([path, (await get(`/console/assets/${path}`)).status]).toEqual([path, 404]);
    }
  });
});
