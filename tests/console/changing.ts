import { unwrap } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { deploy } from './browser/deploy.ts';
import { type Grounds, visitAs } from './browser/grounds.ts';

const planned = (page: Page) => page.getByText(/^compared with the cluster/).waitFor();

export function testChanges(grounds: () => Grounds): void {
  describe('changing deployments', () => {
    test('a value typed into the form is planned, then applied by a task', async () => {
      const { platform } = grounds();
      const { id } = await deploy(grounds(), { name: 'typed' });
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${id}/change`);
      const { page } = guest;
      await page.getByText('Nothing differs yet').waitFor();
      await page.getByLabel('Greeting').fill('Typed');
      await planned(page);
      const objects = page.getByRole('region', { name: 'Objects' });

      expect(await objects.innerText()).toContain('<h1>Typed</h1>');
      await page.getByRole('button', { name: 'Apply this plan' }).click();
      await page.waitForURL(/\/tasks\//);
      expect(unwrap(await platform.admin.deployments.get({ id })).config['greeting']).toBe('Typed');
    });

    test('a value that breaks a rule gets the error of the platform at its input, and is not planned', async () => {
      const { deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}/change`);
      const { page } = guest;
      await page.getByText('Nothing differs yet').waitFor();
      const plans: string[] = [];
      page.on('request', (request) => request.url().endsWith('/plan') && plans.push(request.url()));
      await page.getByLabel('Replicas').fill('99');

      await page.getByText('must be at most 10', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Replicas: must be at most 10' }).click();
      expect(await page.locator(':focus').inputValue()).toBe('99');
      expect(await page.getByRole('button', { name: 'Apply this plan' }).isDisabled()).toBe(true);
      expect(plans).toEqual([]);
    });

    test('a change that somebody else makes meanwhile is shown, and what was typed is kept and applied on top of it', async () => {
      const { platform } = grounds();
      const { id } = await deploy(grounds(), { name: 'both' });
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${id}/change`);
      const { page } = guest;
      await page.getByLabel('Greeting').fill('Mine');
      await planned(page);
      // The page does not notice the change, so the platform has to refuse its own.
      let isHeld = true;
      const before = await page.request.get(`${platform.stack.url}/api/v2/deployments/${id}`, {
        headers: { authorization: `Bearer ${await page.evaluate<string>("localStorage.getItem('access_token')")}` },
      });
      await page.route(`**/api/v2/deployments/${id}`, async (route) =>
        isHeld && route.request().method() === 'GET' ? route.fulfill({ response: before }) : route.continue(),
      );
      page.on('response', (response) => {
        if (response.status() === 412) isHeld = false;
      });
      const theirs = { ...sampleChart.inputs, greeting: 'Theirs', replicas: 1 };
      unwrap(await platform.admin.deployments.update({ id, body: { config: theirs } }));
      await page.getByRole('button', { name: 'Apply this plan' }).click();

      const notice = page.getByRole('alert').filter({ hasText: 'Somebody else changed this deployment meanwhile' });
      await notice.waitFor();
      expect(await notice.getByRole('row', { name: /Greeting/ }).innerText()).toContain('your value would replace it');
      expect(await notice.getByRole('row', { name: /Replicas/ }).innerText()).toContain('taken over');
      expect(await page.getByLabel('Greeting').inputValue()).toBe('Mine');
      await planned(page);
      await page.getByRole('button', { name: 'Apply this plan' }).click();
      await page.waitForURL(/\/tasks\//);
      const { config } = unwrap(await platform.admin.deployments.get({ id }));
      expect(config).toEqual({ ...theirs, greeting: 'Mine' });
    });

    test('the override editor completes keys, says what is wrong and where, and its values are planned', async () => {
      const { deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}/change?part=override`);
      const { page } = guest;
      const editor = page.getByRole('textbox', { name: 'Override as YAML' });
      await editor.click();
      await page.keyboard.type('repl');
      await page.getByRole('option', { name: /replicas/ }).click();
      await vi.waitFor(async () => expect(await editor.innerText()).toContain('replicas:'));
      await page.keyboard.type('[3');
      await page.getByText(/^Line \d+: /).waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('replicas: 3');

      await planned(page);
      const field = page.getByRole('table', { name: /Fields of Deployment/ }).getByRole('row', { name: /replicas/ });
      expect((await field.getByRole('cell').allInnerTexts()).at(-1)).toBe('3');
    });

    test('leaving a page with unsaved input asks first', async () => {
      const { deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}/change`);
      const { page } = guest;
      await page.getByLabel('Greeting').fill('Lost?');
      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByRole('button', { name: 'Keep it as it is' }).click();
      expect(await page.getByLabel('Greeting').inputValue()).toBe('Lost?');

      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByRole('button', { name: 'Leave' }).click();
      await page.waitForURL((url) => url.pathname === '/');
    });
  });

  describe('creating deployments', () => {
    test('each step has an address, back and forward keep what was typed, and a refusal leads to its step', async () => {
      const { platform, deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', '/deployments/new');
      const { page } = guest;
      const steps = page.getByRole('navigation', { name: 'Steps' });
      await page.getByRole('main').getByRole('link', { name: 'HelloWeb' }).click();
      await page.getByRole('link', { name: 'Continue' }).click();
      await page
        .getByRole('main')
        .getByRole('listitem')
        .getByRole('link', { name: /Reachable/ })
        .click();
      await page.getByLabel('Name').fill(deployment.name);
      await page.keyboard.press('Enter');
      await page
        .getByRole('alert')
        .filter({ hasText: /is taken/ })
        .waitFor();
      await page.getByLabel('Greeting').fill('Created');
      await page.getByRole('link', { name: 'Change the name' }).click();
      await page.getByLabel('Name').fill('created');
      await page.keyboard.press('Enter');
      await planned(page);
      await page.goBack();
      await page.getByLabel('Name').waitFor();
      await page.goForward();

      expect(await page.getByLabel('Greeting').inputValue()).toBe('Created');
      expect(await steps.getByRole('listitem').filter({ hasText: 'created' }).count()).toBe(1);
      await planned(page);
      await page.getByRole('button', { name: 'Create by this plan' }).click();
      await page.waitForURL(/\/tasks\//);
      const [created] = unwrap(await platform.admin.deployments.list({ query: { name: 'created' } })).items;
      expect(created?.config['greeting']).toBe('Created');
    });
  });
}
