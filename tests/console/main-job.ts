import { unwrap } from '@berth/client';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { asKubelet } from '../setup/workloads/as-kubelet.ts';
import { type Grounds, kubeConfigOf, visitAs } from './browser/grounds.ts';
import { pushVersion } from './browser/push-version.ts';

export function testMainJob(grounds: () => Grounds): void {
  test('a chart is pushed, appears, is deployed with its form, changed by a plan, broken, diagnosed and rolled back, all in the browser', async () => {
    const { platform } = grounds();
    await using guest = await visitAs(grounds(), 'ada', '/deployments/new');
    const { page } = guest;

    await pushVersion(platform, '1.1.0');
    await page.getByRole('link', { name: 'HelloWeb' }).click();
    // The page offers the newest version, even one that is pushed while it is open.
    await page.getByText('1.1.0').first().waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('link', { name: new RegExp(platform.stack.cluster) }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('job');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('textbox', { name: /Greeting/ }).fill('Hello from the console');
    await page.getByRole('button', { name: 'Create by this plan' }).click();

    // The page of its task follows, until it is done.
    await page.getByRole('heading', { level: 1, name: /Install/ }).waitFor();
    await page.getByText('-- Done').waitFor();
    const [deployment] = unwrap(await platform.admin.deployments.list({ query: { name: 'job' } })).items;
    await guest.open(`/deployments/${deployment?.id}`);
    // A better state is shown once it has lasted for half a minute.
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
}

const podCount = (page: Page, count: number) =>
  vi.waitFor(async () =>
    expect(await page.getByRole('table', { name: 'What runs' }).getByRole('row', { name: /^Pod / }).count()).toBe(
      count,
    ),
  );
