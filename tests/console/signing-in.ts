import { unwrap } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { type Grounds, visit, visitAs } from './browser/grounds.ts';

export function testSignIn(grounds: () => Grounds): void {
  describe('signing in to the console', () => {
    test('a first sign-in shows that the account is inactive, and continues to the requested page once a site admin activates it', async () => {
      const { admin } = grounds().platform;
      await using guest = await visit(grounds());
      await guest.open('/clusters');
      await guest.signIn('grace');
      await guest.page.getByText('Your account is not active yet').waitFor();

      const [user] = unwrap(await admin.users.list({ query: { email: 'grace@example.test' } })).items;
      unwrap(await admin.users.update({ id: user?.id ?? '', body: { is_active: true } }));

      await guest.page.getByRole('heading', { name: 'Clusters' }).waitFor();
      expect(new URL(guest.page.url()).pathname).toBe('/clusters');
    });

    test('a refused sign-in says why, and neither code nor state stays in the address', async () => {
      await using guest = await visit(grounds());
      await guest.open('/auth/idp/callback?code=stolen&state=foreign');
      await guest.page.getByText('This sign-in was not started in this tab').waitFor();

      expect(guest.page.url()).not.toMatch(/code|state/);
      expect(await guest.page.evaluate(() => localStorage.getItem('access_token'))).toBeNull();
    });

    test('a session that a site admin ends leaves nothing in an open page, which returns after another sign-in', async () => {
      const { admin, person } = grounds().platform;
      const { id } = await person('grace');
      await using guest = await visit(grounds());
      await guest.open('/clusters');
      await guest.signIn('grace');
      await guest.page.getByRole('heading', { name: 'Clusters' }).waitFor();
      await guest.page.getByText('Live', { exact: true }).waitFor();
      unwrap(await admin.users.update({ id, body: { is_active: false } }));
      await guest.page.getByText('Your account is not active yet').waitFor();
      expect(await guest.page.getByRole('navigation').count()).toBe(0);
      // The session stays refused.
      unwrap(await admin.users.update({ id, body: { is_active: true } }));
      await guest.page.getByText('Your session has ended').waitFor();
      expect(await guest.page.evaluate(() => localStorage.getItem('access_token'))).toBeNull();
      await guest.signIn('grace');

      await guest.page.getByRole('heading', { name: 'Clusters' }).waitFor();
      expect(new URL(guest.page.url()).pathname).toBe('/clusters');
    });

    test('a link to /sign-in leads straight to the identity provider, or to the console for those who are signed in', async () => {
      await using guest = await visit(grounds());
      await guest.open('/sign-in');
      await guest.page.getByRole('button', { name: /Ada Lovelace/ }).click();
      await guest.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await guest.open('/sign-in');

      await guest.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      expect(new URL(guest.page.url()).pathname).toBe('/');
    });

    test('a refused session shows the sign-in at the same address, and the page returns afterwards', async () => {
      const { deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}/history`);
      await guest.page.getByRole('heading', { name: 'Runs' }).waitFor();
      // To the browser, a revoked session looks like this.
      await guest.page.evaluate(() => localStorage.setItem('access_token', 'e30.e30.e30'));
      await guest.page.reload();
      await guest.page.getByText('Your session has ended').waitFor();
      await guest.signIn('ada');

      await guest.page.getByRole('heading', { name: 'Runs' }).waitFor();
      expect(new URL(guest.page.url()).pathname).toBe(`/deployments/${deployment.id}/history`);
    });

    test('signing out in one tab signs out the others, and leaves nothing of the rows that were shown', async () => {
      const { deployment } = grounds();
      await using guest = await visitAs(grounds(), 'ada', `/deployments/${deployment.id}`);
      await guest.page.getByRole('heading', { name: / shown$/ }).waitFor();
      const other = await guest.context.newPage();
      await other.goto(guest.page.url());
      await other.getByRole('button', { name: 'Sign out' }).click();

      await guest.page.getByText('You signed out in another tab').waitFor();
      expect(await guest.page.content()).not.toContain(deployment.namespace);
    });
  });
}
