import { unwrap } from '@berth/client';
import { expect, test } from 'vitest';
import { type Grounds, visitAs } from './browser/grounds.ts';

export function testConnection(grounds: () => Grounds): void {
  test('while the gateway is down, an open page says so and shows nothing as healthy; afterwards it recovers and has missed nothing', async () => {
    const { deployment, platform } = grounds();
    await using guest = await visitAs(grounds(), 'ada', '/deployments');
    const row = guest.page.getByRole('row', { name: /HelloWeb \/ shown/ });
    // A better state is shown once it has lasted for half a minute.
    await row.locator('.state.ok').waitFor({ timeout: 90_000 });
    await guest.page.getByText('Live', { exact: true }).waitFor();
    const gateway = platform.stack.part('api-gateway');
    await gateway.kill();

    await guest.page.getByText(/Reconnecting\. What you see is as of/).waitFor();
    expect(await row.locator('.state.ok').count()).toBe(0);
    expect(await row.innerText()).toContain('Healthy');

    await gateway.start();
    const renamed = 'Changed while the page was not connected';
    unwrap(
      await platform.admin.deployments.update(
        { id: deployment.id, body: { description_md: renamed } },
        { patience: { ms: 30_000 }, repeat: true },
      ),
    );
    await guest.page.getByText('Live', { exact: true }).waitFor();
    await row.locator('.state.ok').waitFor();
    await row.getByRole('link').click();
    await guest.page.getByText(renamed).waitFor();
  });
}
