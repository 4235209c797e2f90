import { unwrap } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { type Grounds, visitAs } from './grounds.ts';

/** Texts that become scripts where markup is made of text. */
const corpus = [
  '<img src=x onerror="window.attacked=1">',
  '<script>window.attacked=1</script>',
  '"><svg onload=window.attacked=1>',
  '[click](javascript:window.attacked=1)',
  '<a href="javascript:window.attacked=1">click</a>',
  '![x](https://127.0.0.1:1/x.png)',
  '{{constructor.constructor("window.attacked=1")()}}',
  '<iframe srcdoc="<script>parent.attacked=1</script>">',
];

export function testSafety(grounds: () => Grounds): void {
  describe('texts of strangers', () => {
    test('are shown as text: in descriptions, names of envs and bots, and links lead to websites only', async () => {
      const { admin } = grounds().platform;
      const { deployment } = grounds();
      unwrap(await admin.deployments.update({ id: deployment.id, body: { description_md: corpus.join('\n\n') } }));
      for (const [index, text] of corpus.entries()) {
        unwrap(await admin.bots.create({ body: { display_name: `${text.slice(0, 90)} ${index}` } }));
        unwrap(await admin.envs.create({ body: { name: `${text.slice(0, 90)} ${index}` } }));
      }
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}`);
      await guest.page.locator('main').getByText('{{constructor.constructor').waitFor();

      for (const path of [
        '/',
        '/envs',
        '/admin/bots',
        '/admin/audit',
        '/deployments',
        '/clusters',
        '/charts',
        '/tasks',
      ]) {
        await guest.show(path);
      }
      await guest.open(`/deployments/${deployment.id}`);
      await guest.page.locator('main').getByText('{{constructor.constructor').waitFor();
      const links = await guest.page
        .locator('main a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      expect(links.filter((link) => !/^(?:\/|https?:)/.test(link))).toEqual([]);
      expect(await guest.page.evaluate(() => 'attacked' in globalThis)).toBe(false);
      expect(await guest.page.locator('main img, main iframe, main script').count()).toBe(0);
    });
  });

  test('every address of the console can be opened directly; addresses of the API stay errors for programs', async () => {
    const { stack } = grounds().platform;
    const get = (path: string, accept = 'text/html,*/*;q=0.8') => fetch(`${stack.url}${path}`, { headers: { accept } });

    for (const path of [
      '/',
      '/deployments/x/history',
      '/profile/user-tokens',
      '/admin/users',
      '/admin/bots',
      '/no/such',
    ]) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-security-policy')).not.toMatch(/unsafe/);
    }
    for (const path of ['/api/v2/nothing', '/api', '/auth/other', '/.well-known/other', '/console/other']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect((await get('/deployments', 'application/json')).status).toBe(404);
  });
}
