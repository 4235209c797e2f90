import { fileURLToPath } from 'node:url';
import { unwrap, waitForTask } from '@berth/client';
import { expect, test } from 'vitest';
import { asKubelet } from '../../setup/workloads/as-kubelet.ts';
import { deployed } from '../browser/deploy.ts';
import { type Grounds, kubeConfigOf, visitAs } from '../browser/grounds.ts';
import { pushVersion } from '../browser/push-version.ts';
import { areAllPictures } from './screens.ts';

const folder = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const names = ['accounts', 'catalog', 'checkout', 'mailer', 'payments', 'reports', 'search'];
/** Those that get the newest version. */
const upgraded = ['accounts', 'payments', 'reports'];

/** Takes the pictures of the README, of a platform on which one deployment is not well and others run an old version. */
export function testReadmePictures(grounds: () => Grounds): void {
  test.runIf(areAllPictures)('the pictures of the README are taken', async () => {
    const { platform } = grounds();
    const { admin } = platform;
    const all = await Promise.all(names.map((name) => deployed(grounds(), { name })));
    const chart = await pushVersion(platform, '1.1.0');
    for (const { id, name } of all) {
      if (!upgraded.includes(name)) continue;
      const answer = await admin.deployments.update({ id, body: { helm_chart_id: chart.id } });
      unwrap(answer);
      for (const task of answer.ok ? answer.taskIds : []) await waitForTask(admin, task, { withinMs: 120_000 });
    }
    const unwell = all.find(({ name }) => name === 'payments');
    const { id = '', namespace = '' } = unwell ?? {};
    const kubelet = asKubelet(kubeConfigOf(platform));
    const pod = await kubelet.podOf(namespace, '');
    await kubelet.untilReady(namespace, pod);
    await kubelet.imageGone(namespace, pod);

    await using guest = await visitAs(grounds(), 'ada', `/deployments/${id}`);
    const { page } = guest;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('region', { name: 'What needs attention' }).getByText('ImagePullBackOff').first().waitFor();
    await page.getByRole('table', { name: 'What runs' }).waitFor();
    await page.screenshot({ path: `${folder}deployment.png` });
    await guest.show('/deployments');
    // A better state is shown once it has lasted for half a minute.
    await page
      .getByRole('table', { name: 'Deployments' })
      .locator('.state.busy')
      .first()
      .waitFor({ state: 'detached', timeout: 120_000 });
    await page.getByText('1 newer').first().waitFor();
    expect(await page.locator('[data-row-link]').count()).toBeGreaterThan(names.length);
    await page.screenshot({ path: `${folder}deployments.png` });
  });
}
