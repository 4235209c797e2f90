import { unwrap } from '@berth/client';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { asKubelet } from '../setup/workloads/as-kubelet.ts';
import { type Grounds, kubeConfigOf, visitAs } from './browser/grounds.ts';

export function testAccessibility(grounds: () => Grounds): void {
  test('by keyboard alone, a deployment is created with its form, changed by a plan, broken, diagnosed and rolled back', async () => {
    const { platform } = grounds();
    const { admin } = platform;
    await using guest = await visitAs(grounds(), 'ada', '/deployments');
    const { page } = guest;
    // Nothing in this test uses a pointer.
    await page.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor();
    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await press(page, 'New deployment');
    await press(page, 'HelloWeb');
    await press(page, 'Continue');
    await press(page, /Reachable/);
    await type(page, 'Name', 'by-keyboard');
    await page.keyboard.press('Enter');
    await type(page, 'Greeting', 'Typed');
    await page.getByText(/^compared with the cluster/).waitFor();
    await press(page, 'Create by this plan');
    await page.getByText('-- Done').waitFor();

    const [created] = unwrap(await admin.deployments.list({ query: { name: 'by-keyboard' } })).items;
    await press(page, / by-keyboard$/);
    await press(page, 'Change …');
    await type(page, 'Greeting', 'Changed');
    await page.getByText(/^compared with the cluster/).waitFor();
    await press(page, 'Apply this plan');
    await page.getByText('-- Done').waitFor();
    const configOf = async (id = '') => unwrap(await admin.deployments.get({ id })).config;
    expect(await configOf(created?.id)).toMatchObject({ greeting: 'Changed' });

    await press(page, / by-keyboard$/);
    const { namespace = '' } = created ?? {};
    const kubelet = asKubelet(kubeConfigOf(platform));
    const pod = await kubelet.podOf(namespace, '');
    await kubelet.untilReady(namespace, pod);
    await kubelet.imageGone(namespace, pod);
    const attention = page.getByRole('region', { name: 'What needs attention' });
    await attention.getByText('ImagePullBackOff').first().waitFor();
    // A screen reader reads the region, and so the reason, once the focus gets to one of its buttons.
    await tabTo(page, /^Roll back/);
    expect(await attention.locator(':focus').count()).toBe(1);

    await press(page, 'History');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await press(page, /^Roll back/);
    await page.getByRole('dialog').waitFor();
    await press(page, 'Roll back');
    await page.getByText('-- Done').waitFor();
    expect(await configOf(created?.id)).toMatchObject({ greeting: 'Typed' });
  });

  test('the live regions that announce changes have names', async () => {
    await using guest = await visitAs(grounds(), 'ada', '/profile/user-tokens');
    const { page } = guest;
    // All at one moment: those that say that something is loading soon go.
    const names = await page.evaluate<string[]>(`
      [...document.querySelectorAll('[role=status], [role=alert], [role=log], [aria-live]')]
        .map((region) => region.getAttribute('aria-label') ?? region.innerText)
    `);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => name.trim() === '')).toEqual([]);
    await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
    await page.getByRole('status', { name: 'Messages' }).waitFor({ state: 'attached' });
  });
}

/** More tab stops than any screen has. */
const mostStops = 120;

/** The name of what has the focus, as a screen reader reads it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    let on = document.activeElement;
    while (on?.shadowRoot?.activeElement) on = on.shadowRoot.activeElement;
    if (!on.matches('a, button, input, textarea, [contenteditable]')) return '';
    const labels = [...(on.labels ?? [])].map((label) => label.textContent);
    const named = (on.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
    return (on.getAttribute('aria-label') || labels.join(' ') || named.join(' ').trim() || on.innerText || '').trim();
  })()`);

async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const fits = (text: string) => (typeof name === 'string' ? text.split('\n')[0]?.startsWith(name) : name.test(text));
  const passed: string[] = [];
  for (let stop = 0; stop < mostStops; stop += 1) {
    const text = await focused(page);
    if (fits(text)) return;
    passed.push(text.split('\n')[0]?.slice(0, 30) ?? '');
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}, only ${[...new Set(passed)].join(', ')}`);
}

/** Waits for a control, tabs to it, and presses it. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  await page
    .locator('main, [role=dialog]')
    .locator('a:visible, button:visible')
    .filter({ hasText: name })
    .first()
    .waitFor();
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function type(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name }).waitFor();
  await tabTo(page, name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}
