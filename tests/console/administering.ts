import { readFile } from 'node:fs/promises';
import { unwrap, waitForTask } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { describe, expect, test } from 'vitest';
import { cached } from './browser/cached.ts';
import { deployed } from './browser/deploy.ts';
import { type Grounds, visitAs } from './browser/grounds.ts';

/** Linus as an activated user. No other journey needs him. */
async function linus({ platform: { admin, person } }: Grounds): Promise<{ id: string; display_name: string }> {
  const known = async () => unwrap(await admin.users.list({ query: { email: 'linus@example.test' } })).items[0];
  const user = await known();
  if (user?.is_active) return user;
  await person('linus');
  const activated = await known();
  if (!activated) throw new Error('signing in created no user linus');
  return activated;
}

const ofIdentity = /\/(?:auth\/me|events|env-user-permissions|deployment-permissions)$/;

export function testAdministering(grounds: () => Grounds): void {
  describe('administering in the console', () => {
    test('a token is shown once, acts for its owner until it is revoked, and its value does not stay in the page', async () => {
      const { stack } = grounds().platform;
      await using guest = await visitAs(grounds(), 'ada', '/profile/user-tokens');
      const { page } = guest;
      const statusWith = async (token: string) =>
        (await fetch(`${stack.url}/api/v2/auth/me`, { headers: { 'x-service-token': token } })).status;

      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('pipeline of the journey');
      await page.keyboard.press('Enter');
      const value = await page.getByLabel('Value of the token').innerText();
      expect(await statusWith(value)).toBe(200);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('row', { name: /pipeline of the journey/ }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      const kept = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])',
      );
      expect(`${await page.content()} ${kept}`).not.toContain(value.split('.')[1]);

      await page.getByRole('button', { name: 'Revoke pipeline of the journey' }).click();
      const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke' });
      expect(await revoke.isDisabled()).toBe(true);
      await page.getByRole('textbox', { name: /to confirm/ }).fill('pipeline of the journey');
      await revoke.click();
      await page.getByRole('row', { name: /pipeline of the journey/ }).waitFor({ state: 'detached' });
      expect(await statusWith(value)).toBe(401);
    });

    test('a person who is added to an env sees that env only, until they are removed', async () => {
      const { platform, deployment } = grounds();
      const { display_name } = await linus(grounds());
      const env = unwrap(await platform.admin.envs.create({ body: { name: 'apart' } }));
      await using ada = await visitAs(grounds(), 'ada', `/envs/${env.id}/members`);
      await ada.page.getByRole('button', { name: 'Add a member' }).click();
      await ada.page.getByRole('button', { name: /Person/ }).click();
      await ada.page.getByRole('option', { name: display_name }).click();
      await ada.page.getByRole('button', { name: 'Add', exact: true }).click();
      await ada.page.getByRole('button', { name: `Role of ${display_name} in the env: User` }).waitFor();

      await using guest = await visitAs(grounds(), 'linus', '/envs');
      const envs = guest.page.getByRole('table', { name: 'Envs' });
      await envs.getByRole('link', { name: 'apart' }).waitFor();
      expect(await envs.getByRole('row').count()).toBe(2);
      expect(await guest.page.getByRole('link', { name: 'Users', exact: true }).count()).toBe(0);
      await guest.open(`/envs/${deployment.env_id}`);
      await guest.page.getByRole('alert').waitFor();
      await guest.open('/deployments');
      await guest.page.getByText('There are no deployments yet').waitFor();
      await guest.open('/admin/audit');
      await guest.page.getByText('The audit log is for a site admin, or an admin of an env').waitFor();

      await guest.open('/envs');
      await envs.getByRole('link', { name: 'apart' }).waitFor();
      await ada.page.getByRole('button', { name: `Remove ${display_name} from the env` }).click();
      await ada.page.getByRole('dialog').getByText('the role User in the env').waitFor();
      await ada.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await ada.page.getByText(`${display_name} is no longer a member`).waitFor();
      await guest.open('/envs');
      await guest.page.getByText('You are not a member of any env').waitFor();
    });

    test('before the contents of a secret are replaced, the page names the deployments that use it; afterwards it links to the tasks that reinstall them', async () => {
      const { platform, deployment } = grounds();
      const envId = deployment.env_id;
      const first = `first line\nsecond line ${crypto.randomUUID()}`;
      const second = `other line\nlast line ${crypto.randomUUID()}`;
      await using guest = await visitAs(grounds(), 'ada', `/envs/${envId}/secrets`);
      const { page } = guest;

      await page.getByRole('button', { name: 'New secret' }).first().click();
      await page.getByRole('textbox', { name: 'Collection' }).fill('tokens');
      await page.getByRole('textbox', { name: 'Name' }).fill('payments');
      await page.getByRole('textbox', { name: 'Contents' }).fill(first);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('row', { name: /tokens.*payments/ }).waitFor();
      const [secret] = unwrap(await platform.admin.secrets.list({ query: { env_id: envId, name: 'payments' } })).items;
      const config = { ...sampleChart.inputs, replicas: 1, token: secret?.id ?? '' };
      await deployed(grounds(), { name: 'paying', config });

      await page.getByRole('button', { name: 'Actions for payments' }).click();
      await page.getByRole('menuitem', { name: /Replace the contents/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Reinstalls 1 deployment').waitFor();
      await dialog.getByRole('link', { name: / paying$/ }).waitFor();
      await dialog.getByRole('textbox', { name: 'Contents' }).fill(second);
      await dialog.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('1 deployment is being reinstalled').waitFor();
      const content = await page.content();
      expect(content).not.toContain(first.split('\n')[1]);
      expect(content).not.toContain(second.split('\n')[1]);

      await page.getByRole('status', { name: 'What was done' }).getByRole('link').click();
      await page.waitForURL(/\/tasks\//);
      const task = await waitForTask(platform.admin, new URL(page.url()).pathname.split('/').at(-1) ?? '', {
        withinMs: 120_000,
      });
      expect([Object.keys(task.operation), task.status]).toEqual([['Reinstall'], 'Done']);
    });

    test('after another person signs in, the window contains nothing that the previous one saw', async () => {
      const { deployment } = grounds();
      await linus(grounds());
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}`);
      await guest.page.getByRole('heading', { level: 1, name: / shown$/ }).waitFor();
      const holders = await guest.page.evaluate<string[]>(`(() => {
        const session = localStorage.getItem('access_token');
        const all = { ...Object.fromEntries(Object.entries(localStorage).map(([key, value]) => ['local ' + key, value])),
          ...Object.fromEntries(Object.entries(sessionStorage).map(([key, value]) => ['tab ' + key, value])),
          address: location.href, page: document.documentElement.outerHTML, cookie: document.cookie };
        return Object.keys(all).filter((key) => all[key].includes(session));
      })()`);
      expect(holders).toEqual(['local access_token']);
      await guest.page.getByRole('button', { name: 'Sign out' }).click();
      await guest.signIn('linus');

      await guest.page.getByRole('navigation', { name: 'Places' }).waitFor({ state: 'attached' });
      await guest.page.getByRole('alert').first().waitFor();
      await guest.page.getByRole('link', { name: 'Home' }).click();
      await guest.page.getByRole('heading', { level: 1 }).waitFor();
      const kept = await guest.page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })');
      const content = `${await guest.page.content()} ${kept}`;
      for (const text of [deployment.id, deployment.namespace, deployment.env_id]) expect(content).not.toContain(text);
    });

    test('after another person signs in in another tab, an open window neither keeps nor shows what the previous one had read, even when going back and forward', async () => {
      const { deployment } = grounds();
      await linus(grounds());
      await using other = await visitAs(grounds(), 'linus', '/');
      const session = await other.page.evaluate<string>("localStorage.getItem('access_token')");
      await using guest = await visitAs(grounds(), 'ada', '/envs');
      const { page } = guest;
      const places = page.getByRole('navigation', { name: 'Places' });
      await page.getByRole('table', { name: 'Envs' }).getByRole('link').first().waitFor();
      await places.getByRole('link', { name: 'Deployments' }).click();
      const shownLink = page.getByRole('link', { name: / shown$/ }).first();
      // With the pointer among them, rows stay where they are, whatever others create.
      await shownLink.hover();
      await shownLink.click();
      await page.getByText(deployment.namespace).first().waitFor();
      expect(await cached(page)).toContain(deployment.namespace);
      const tab = await guest.context.newPage();
      await tab.goto(page.url());

      // From here on only the identity can be read, so whatever else is shown was kept.
      await page.route(
        (url) => url.pathname.startsWith('/api/v2/') && !ofIdentity.test(url.pathname),
        (route) => route.abort(),
      );
      await tab.evaluate((value) => localStorage.setItem('access_token', value), session);
      await page.getByText('Linus').first().waitFor();
      const shown = async () => `${page.url()}: ${await page.locator('body').innerText()}`;
      const seen = [await shown()];
      for (const [go, title] of [
        ['goBack', 'Deployments'],
        ['goBack', 'Envs'],
        ['goForward', 'Deployments'],
      ] as const) {
        await page[go]();
        await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
        seen.push(await shown());
      }
      for (const text of [deployment.namespace, ' / shown', 'Ada Lovelace'])
        expect(`${seen.join('\n')} ${await cached(page)}`).not.toContain(text);
    });

    test('the audit log says who changed what, from which value to which, and its export has the same event', async () => {
      const { admin } = grounds().platform;
      const env = unwrap(await admin.envs.create({ body: { name: 'audited' } }));
      unwrap(await admin.envs.update({ id: env.id, body: { name: 'audited since' } }));
      await using guest = await visitAs(grounds(), 'ada', `/admin/audit?object=${env.id}&operation=update`);
      const { page } = guest;
      await page.getByRole('button', { name: 'Show what changed: update envs by Ada Lovelace' }).click();

      expect(await page.getByRole('list', { name: 'What differs' }).innerText()).toMatch(
        /name\s+− audited\s+\+ audited since/,
      );
      // A browser that can write files would ask for one, which nobody could choose here.
      await page.evaluate('window.showSaveFilePicker = undefined');
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { operation: 'update', object: { id: env.id }, after: { name: 'audited since' } },
      ]);
    });
  });
}
