import { describe, expect, test } from 'vitest';
import { violationsOf } from './check-accessibility.ts';
import { type Grounds, visitAs } from './grounds.ts';
import { screensOf } from './screens.ts';

export function testAccessibility(grounds: () => Grounds): void {
  describe('every screen is accessible (WCAG 2.2 AA by axe)', () => {
    test.for(['light', 'dark'] as const)('in the %s theme', async (theme) => {
      await using guest = await visitAs(grounds(), 'ada', '/', { theme });
      const found: string[] = [];
      for (const path of await screensOf(grounds())) {
        await guest.show(path);
        found.push(...(await violationsOf(guest.page)).map((violation) => `${path} ${violation}`));
      }
      expect(found).toEqual([]);
    });
  });

  test('at 360 px no screen scrolls sideways', async () => {
    await using guest = await visitAs(grounds(), 'ada', '/', { width: 360 });
    const tooWide: string[] = [];
    for (const path of await screensOf(grounds())) {
      await guest.show(path);
      const width = await guest.page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 360) tooWide.push(`${path}: ${width}`);
    }
    expect(tooWide).toEqual([]);
  });
}
