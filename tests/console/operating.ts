import { unwrap, waitUntil } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { deployed } from './browser/deploy.ts';
import { type Grounds, visitAs } from './browser/grounds.ts';
import { publishChart } from './browser/publish-chart.ts';

const configMap = (text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'made' },
  data: { text },
});

export function testOperating(grounds: () => Grounds): void {
  describe('operating deployments', () => {
    test('a bulk restart says what it will do to each deployment, then reports one result for each', async () => {
      const { admin } = grounds().platform;
      const all = await Promise.all(['bulk-a', 'bulk-b'].map((name) => deployed(grounds(), { name })));
      for (const { id } of all)
        await waitUntil(
          async () =>
            unwrap(await admin.k8sResources.list({ query: { deployment_id: id, kind: 'Deployment' } })).items[0],
          { what: 'the object to restart', withinMs: 60_000 },
        );
      await using guest = await visitAs(grounds(), 'ada', '/deployments?name=bulk-');
      const { page } = guest;
      for (const { name } of all)
        await page.locator('.check', { has: page.getByLabel(`Choose HelloWeb / ${name}`) }).click();
      await page.getByRole('button', { name: 'Restart', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Restart 2 deployments' });
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(
        all.map(({ name }) => expect.stringMatching(new RegExp(`HelloWeb / ${name}\\s+restarts`))),
      );
      await dialog.getByRole('button', { name: 'Restart 2' }).click();

      const close = dialog.getByRole('button', { name: 'Close' });
      await close.waitFor();
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(
        all.map(({ name }) => expect.stringMatching(new RegExp(`HelloWeb / ${name}\\s+queued`))),
      );
      await close.click();
      await dialog.waitFor({ state: 'detached' });
      for (const { id } of all) {
        const tasks = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } })).items;
        expect(tasks.filter(({ operation }) => 'RestartK8sResource' in operation)).toHaveLength(1);
      }
    });

    test('chosen columns are shown, even after a reload', async () => {
      await using guest = await visitAs(grounds(), 'ada', '/deployments');
      const { page } = guest;
      const titles = () => page.getByRole('table', { name: 'Deployments' }).getByRole('columnheader').allInnerTexts();
      await page.getByRole('table', { name: 'Deployments' }).waitFor();
      expect(await titles()).not.toContain('Namespace');
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Namespace' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Cluster' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'Namespace' }).waitFor();
      await page.reload();

      await page.getByRole('columnheader', { name: 'Namespace' }).waitFor();
      expect(await titles()).not.toContain('Cluster');
      await page.getByText(grounds().deployment.namespace, { exact: true }).waitFor();
    });

    test('a deployment names what it uses and what uses it, and the count of a version leads to its deployments', async () => {
      const used = await deployed(grounds(), { name: 'used' });
      const input = { id: 'backend', type: 'CollectionSelect', label: 'Backend', collection: 'deployments' };
      const { chart, kindId } = await publishChart(
        grounds().platform,
        { name: 'front' },
        {
          'berth/values-ui.yaml': { apiVersion: 'berth.dev/v1beta1', kind: 'ValuesUi', inputs: [input] },
          'templates/made.yaml': configMap('made'),
        },
      );
      await deployed(grounds(), { name: 'user', chart: { id: chart.id, kindId }, config: { backend: used.id } });
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${used.id}`);
      const { page } = guest;
      await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: 'Front / user' }).click();
      await page.getByRole('heading', { level: 1, name: 'Front / user' }).waitFor();
      await page.getByRole('region', { name: 'Uses' }).getByRole('link', { name: 'HelloWeb / used' }).waitFor();

      await guest.open(`/charts?kind=${kindId}`);
      await page.getByRole('link', { name: '1 deployment', exact: true }).click();
      await page.getByRole('button', { name: /^Chart 1\.0\.0/ }).waitFor();
      const rows = page.getByRole('table', { name: 'Deployments' }).locator('[data-row-link]');
      await rows.first().waitFor();
      expect(await rows.allInnerTexts()).toEqual([expect.stringMatching(/Front \/ user/)]);
    });

    test('a page shows the first clause of a long reason, and all of it on request; at 360 px a list shows it below the name', async () => {
      const words =
        'The size of the volume does not fit. Volumes of this class have 10, 20 or 40 GiB, and the value asks for 15';
      const { chart, kindId } = await publishChart(
        grounds().platform,
        { name: 'refusing' },
        {
          'templates/made.yaml': configMap(`{{ fail \`${words}\` }}`),
        },
      );
      const { id } = await deployed(grounds(), { name: 'refused', chart: { id: chart.id, kindId }, config: {} });
      const { reason } = unwrap(await grounds().platform.admin.deployments.get({ id }));
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${id}`);
      const attention = guest.page.getByRole('region', { name: 'What needs attention' });
      const whole = attention.getByRole('button', { name: 'The whole reason' });
      await whole.waitFor();
      expect(await attention.innerText()).not.toContain(reason?.slice(-40));
      await whole.click();

      await attention.getByText(reason?.slice(-40) ?? '').waitFor();
      await attention.getByRole('button', { name: 'Less of the reason' }).click();
      await attention.getByText(reason?.slice(-40) ?? '').waitFor({ state: 'detached' });

      await guest.page.setViewportSize({ width: 360, height: 900 });
      await guest.open('/deployments?name=refused');
      const place = await guest.page.getByRole('cell', { name: reason?.slice(0, 40) ?? 'no reason' }).boundingBox();
      expect(place?.x).toBeGreaterThanOrEqual(0);
      expect((place?.x ?? 0) + (place?.width ?? 0)).toBeLessThanOrEqual(360);
    });
  });
}
