import { describe, expect, test, vi } from 'vitest';
import { deploy } from './browser/deploy.ts';
import { type Grounds, visitAs } from './browser/grounds.ts';

export function testWatching(grounds: () => Grounds): void {
  describe('watching deployments', () => {
    test('a deployment that is created elsewhere appears in an open list, and becomes healthy there without a reload', async () => {
      await using guest = await visitAs(grounds(), 'ada', '/deployments');
      const list = guest.page.getByRole('table', { name: 'Deployments' });
      await list.waitFor();
      await deploy(grounds(), { name: 'watched' });

      await list.getByRole('row', { name: /Installing.*watched/ }).waitFor();
      const healthy = list.getByRole('row', { name: /Healthy.*watched.*1\.0\.0/ });
      // A better state is shown once it has lasted for half a minute.
      await healthy.waitFor({ timeout: 90_000 });
      expect(await healthy.getByRole('cell', { name: 'demo', exact: true }).innerText()).toBe('demo');
    });

    test('the page of a deployment shows each object below its owner, and the inputs that differ from the chart', async () => {
      const { deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}`);
      const tree = guest.page.getByRole('table', { name: 'What runs' });
      await tree.waitFor();

      const kinds = async () =>
        (await tree.locator('[data-depth]').allInnerTexts()).map((words) => words.split(/\s/)[0]);
      await vi.waitFor(async () =>
        expect(await kinds()).toEqual(['Deployment', 'ReplicaSet', 'Pod', 'Pod', 'Service']),
      );
      await guest.page.getByText('Hello from Berth').waitFor();
    });

    test('filters are part of the address, so that the same address shows the same rows', async () => {
      await using guest = await visitAs(grounds(), 'ada', '/deployments');
      await guest.page.getByRole('searchbox', { name: 'Filter by name' }).fill('no-such-deployment');
      await guest.page.getByText('No deployment matches these filters').waitFor();
      expect(new URL(guest.page.url()).search).toBe('?name=no-such-deployment');

      await guest.page.reload();
      await guest.page.getByText('No deployment matches these filters').waitFor();
    });
  });
}
