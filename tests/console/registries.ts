import { unwrap, waitUntil } from '@berth/client';
import { expect, test } from 'vitest';
import { type Grounds, visitAs } from './browser/grounds.ts';

export function testRegistries(grounds: () => Grounds): void {
  test('a registry says what it lists, and gets an icon that overwrites no later one; another one is added, and deleted again', async () => {
    const { admin } = grounds().platform;
    const named = async (repo_name: string) =>
      unwrap(await admin.helmRegistries.list({ query: { repo_name } })).items[0];
    await using guest = await visitAs(grounds(), 'ada', '/charts');
    const { page } = guest;
    const choose = async (repository: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${repository}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const dialog = page.getByRole('dialog');
    const closed = () => dialog.waitFor({ state: 'detached' });

    await choose('charts/hello-web', 'Check it now …');
    await dialog.getByText(/^It lists \d+ versions?$/).waitFor();
    await page.keyboard.press('Escape');
    await closed();
    await choose('charts/hello-web', 'Change the icon …');
    await page.getByRole('textbox', { name: 'Font Awesome icon' }).fill('globe');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await closed();
    expect((await named('charts/hello-web'))?.fa_icon).toBe('globe');

    const id = (await named('charts/hello-web'))?.id ?? '';
    const answered = (path: string) =>
      page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path));
    const opened = answered(`/helm-registries/${id}`);
    await choose('charts/hello-web', 'Change the icon …');
    await opened;
    const changed = answered('/helm-registries');
    unwrap(await admin.helmRegistries.update({ id, body: { fa_icon: 'ship' } }));
    await changed;
    await page.getByRole('textbox', { name: 'Font Awesome icon' }).fill('leaf');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    expect((await named('charts/hello-web'))?.fa_icon).toBe('ship');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await closed();

    await page.getByRole('button', { name: 'Add a registry …' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('http://registry.example.test');
    await page.getByRole('textbox', { name: 'Repository' }).fill('charts/added-here');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://registry.example.test');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await closed();
    expect((await named('charts/added-here'))?.source).toBe('created');

    await choose('charts/added-here', 'Delete …');
    await page.getByRole('textbox', { name: /to confirm/ }).fill('charts/added-here');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await closed();
    await waitUntil(async () => (await named('charts/added-here')) === undefined, {
      what: 'the deletion of the registry',
      withinMs: 30_000,
    });
  });
}
