import { unwrap } from '@berth/client';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { Grounds } from '../browser/grounds.ts';
import { untilLoaded } from '../browser/visitor.ts';
import { inWindows } from './windows.ts';

type Act = (page: Page) => Promise<void>;

const press =
  (name: string | RegExp): Act =>
  (page) =>
    page.getByRole('button', { name }).first().click();
const pick =
  (name: string): Act =>
  (page) =>
    page.getByRole('menuitem', { name }).click();
const keys =
  (pressed: string): Act =>
  (page) =>
    page.keyboard.press(pressed);
const type =
  (text: string): Act =>
  (page) =>
    page.keyboard.type(text);
const chosen =
  (label: string): Act =>
  (page) =>
    page.locator('.check', { has: page.getByLabel(label) }).click();
const says =
  (text: string | RegExp): Act =>
  (page) =>
    page.getByText(text).first().waitFor();

/** Puts the focus somewhere to which it has to return. */
const toSearch: Act = (page) => page.getByRole('button', { name: /^Search or jump to/ }).focus();

/** What opens over a page, by address: the name of its picture, and the steps that open it. */
async function dialogsOf({ platform, deployment, sample }: Grounds): Promise<Record<string, Record<string, Act[]>>> {
  const { admin } = platform;
  const { env_id: envId } = deployment;
  const { display_name } = unwrap(await admin.users.get({ id: (await platform.person('linus')).id }));
  unwrap(await admin.bots.create({ body: { display_name: 'looked at' } }));
  unwrap(
    await admin.secrets.create({ body: { env_id: envId, collection: 'tokens', name: 'looked-at', contents: 'a' } }),
  );
  const more = press(/^More actions for/);
  const toNew = { kind: sample.registry.kind_id, chart: sample.chart.id, cluster: sample.cluster.id, name: 'later' };
  const step = (...given: (keyof typeof toNew)[]) =>
    `/deployments/new?${new URLSearchParams(Object.fromEntries(given.map((each) => [each, toNew[each]]))).toString()}`;
  return {
    '/': {
      palette: [toSearch, keys('Control+k')],
      'palette-found': [
        toSearch,
        keys('Control+k'),
        type('shown'),
        (page) => page.getByRole('menuitem', { name: 'HelloWeb / shown' }).first().waitFor(),
      ],
      'palette-nothing': [toSearch, keys('Control+k'), type('no-such-thing'), says('Nothing is called that')],
      keys: [toSearch, keys('?')],
    },
    '/deployments': {
      columns: [press('Columns')],
      views: [press('Views')],
      bulk: [chosen('Choose HelloWeb / shown'), press(/^Disable$/)],
    },
    [`/deployments/${deployment.id}`]: {
      actions: [more],
      reinstall: [more, pick('Reinstall …')],
      invoke: [more, pick('Say something else …')],
      rename: [more, pick('Rename or move …')],
      delete: [more, pick('Delete …')],
    },
    [`/deployments/${deployment.id}/change`]: {
      leave: [
        (page) => page.getByLabel('Greeting').fill('Left'),
        (page) => page.getByRole('link', { name: 'Home' }).click(),
      ],
      schedule: [says(/^compared with the cluster/), press('Schedule…')],
    },
    [step('kind')]: { 'step-version': [] },
    [step('kind', 'chart')]: { 'step-cluster': [] },
    [step('kind', 'chart', 'cluster')]: { 'step-name': [] },
    [step('kind', 'chart', 'cluster', 'name')]: { 'step-form': [says(/^compared with the cluster/)] },
    '/envs': { 'new-env': [press('New env')] },
    [`/envs/${envId}/members`]: { 'add-member': [press('Add a member')] },
    [`/envs/${envId}/secrets`]: {
      'new-secret': [press('New secret')],
      replace: [press('Actions for looked-at'), pick('Replace the contents …')],
      delete: [press('Actions for looked-at'), pick('Delete …')],
    },
    [`/envs/${envId}/settings`]: {
      placement: [(page) => page.getByLabel('Node selector').fill('{"pool": "web"}'), press('Change the placement …')],
    },
    '/profile/user-tokens': { 'new-token': [press('New token')] },
    '/admin/users': {
      deactivate: [press(`Actions for ${display_name}`), pick('Deactivate …')],
      role: [press(`Actions for ${display_name}`), pick('Change Global Role …')],
    },
    '/admin/bots': {
      'new-bot': [press('New bot')],
      delete: [press('Actions for looked at'), pick('Delete …')],
    },
    '/charts': {
      'tag-format': [press('Add a format …')],
      'new-registry': [press('Add a registry …')],
      registry: [press(/^Actions for charts/)],
      'registry-icon': [press(/^Actions for charts/), pick('Change the icon …')],
      kind: [press(/^Actions for charts/), pick('Rename the kind …')],
    },
    [`/clusters/${sample.cluster.id}`]: { ignore: [more, pick('Ignore …')] },
  };
}

const open = '[role=dialog], [role=menu]';
const onBody = 'document.activeElement === document.body';

/** Closes what is open. The first press of Escape only clears a search. */
const close = (page: Page): Promise<void> =>
  vi.waitFor(async () => {
    if ((await page.locator(open).count()) > 0) await page.keyboard.press('Escape');
    expect(await page.locator(open).count()).toBe(0);
  });

export function testDialogs(grounds: () => Grounds): void {
  test('every dialog, menu and step is without a violation of WCAG 2.2 AA in either theme, and returns the focus', async () => {
    const dialogs = await dialogsOf(grounds());
    const found = await inWindows(grounds(), 'ada', Object.keys(dialogs), (guest, look) => async (path) => {
      const { page } = guest;
      const facts: string[] = [];
      await guest.show(path);
      for (const [name, acts] of Object.entries(dialogs[path] ?? {})) {
        for (const act of acts) await act(page);
        const isStep = name.startsWith('step-');
        if (!isStep) await page.locator(open).first().waitFor();
        await untilLoaded(page);
        facts.push(...(await look(path, `dialog-${name}`)));
        if (isStep) continue;
        await close(page);
        // The focus returns a frame or two later.
        const returns = vi.waitFor(async () => expect(await page.evaluate(onBody)).toBe(false));
        const isLost = await returns.then(
          () => false,
          () => true,
        );
        if (isLost) facts.push(`${path} ${name}: loses the focus`);
      }
      return facts;
    });
    expect(found).toEqual([]);
  });
}
