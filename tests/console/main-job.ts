import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@berth/client';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { Platform } from '../setup/platform.ts';
import { asKubelet } from '../setup/workloads/as-kubelet.ts';
import { deploy } from './browser/deploy.ts';
import { type Grounds, kubeConfigOf, visitAs } from './browser/grounds.ts';

export function testMainJob(grounds: () => Grounds): void {
  test('a chart is pushed, seen, deployed by its form, changed by a plan, broken, understood and rolled back, all in the browser', async () => {
    const { platform } = grounds();
    await using guest = await visitAs(grounds(), 'ada', '/deployments/new');
    const { page } = guest;

    await pushVersion(platform, '1.1.0');
    await page.getByRole('link', { name: 'HelloWeb' }).click();
    // The page offers the newest version; one that is pushed while it is open appears without a reload.
    await page.getByText('1.1.0').first().waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('link', { name: new RegExp(platform.stack.cluster) }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('job');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('textbox', { name: /Greeting/ }).fill('Hello from the console');
    await page.getByRole('button', { name: 'Create by this plan' }).click();

    // The page of its task, until it is done.
    await page.getByRole('heading', { level: 1, name: /Install/ }).waitFor();
    await page.getByText('-- Done').waitFor();
    const [deployment] = unwrap(await platform.admin.deployments.list({ query: { name: 'job' } })).items;
    await guest.open(`/deployments/${deployment?.id}`);
    // A state that gets better shows when it has lasted for half a minute.
    await page.locator('.head .state.ok').waitFor({ timeout: 90_000 });

    await page.getByRole('link', { name: 'Change …' }).first().click();
    await page.getByRole('textbox', { name: /Replicas/ }).fill('24');
    await page.getByText('must be at most 10').first().waitFor();
    await page.getByRole('textbox', { name: /Replicas/ }).fill('3');
    const plan = page.getByRole('region', { name: 'What will happen' });
    await plan
      .getByRole('table', { name: /^Fields of Deployment/ })
      .getByText(/replicas/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Apply this plan' }).click();
    await page.getByText('-- Done').waitFor();
    await guest.open(`/deployments/${deployment?.id}`);
    await podCount(page, 3);

    const { namespace = '' } = deployment ?? {};
    const kubelet = asKubelet(kubeConfigOf(platform));
    await kubelet.imageGone(namespace, await kubelet.podOf(namespace, ''));
    const attention = page.getByRole('region', { name: 'What needs attention' });
    await attention.getByText('ImagePullBackOff').first().waitFor();
    await page.locator('.head .state.bad').waitFor();

    await attention.getByRole('button', { name: /Roll back/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('-- Done').waitFor();
    const after = unwrap(await platform.admin.deployments.get({ id: deployment?.id ?? '' }));
    expect(after.config['replicas']).not.toBe(3);
  });

  test('a change that somebody else overtook is refused, says what changed meanwhile, and keeps what was typed', async () => {
    const { platform } = grounds();
    const deployment = await deploy(grounds(), { name: 'overtaken' });
    await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}/change`);
    const { page } = guest;
    await page.getByRole('textbox', { name: /Greeting/ }).fill('Mine');
    const apply = page.getByRole('button', { name: 'Apply this plan' });
    await vi.waitFor(async () => expect(await apply.isEnabled()).toBe(true));
    // The page does not hear of it before the button is pressed.
    await page.route('**/api/v2/events*', (route) => route.abort());
    const config = { ...sampleChart.inputs, replicas: 1 };
    await platform.admin.deployments.update({ id: deployment.id, body: { config } }).then(unwrap);
    await apply.click();

    await page.getByText('Somebody else changed this deployment meanwhile').waitFor();
    expect(await page.getByRole('textbox', { name: /Greeting/ }).inputValue()).toBe('Mine');
    await page.getByRole('row', { name: /Replicas/ }).waitFor();
  });
}

const podCount = (page: Page, count: number) =>
  vi.waitFor(async () =>
    expect(await page.getByRole('table', { name: 'What runs' }).getByRole('row', { name: /^Pod / }).count()).toBe(
      count,
    ),
  );

/** The sample chart as another version of it. */
async function pushVersion({ stack }: Platform, version: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-version-'));
  try {
    await cp(sampleChart.folder, folder, { recursive: true });
    const manifest = join(folder, 'Chart.yaml');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/^version: .*$/m, `version: ${version}`));
    await pushChart({ ...stack, folder, signal: AbortSignal.timeout(60_000) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
