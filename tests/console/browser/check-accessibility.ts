import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

const chosen = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/** The violations of WCAG 2.2 AA on a page, each with the first element that has it. */
export async function violationsOf(
  page: Page,
  rules: keyof typeof chosen,
  /** The selectors of what is not checked. */
  exclude: readonly string[],
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ exclude: ${JSON.stringify(exclude)} }, { runOnly: ${JSON.stringify(chosen[rules])}, resultTypes: ['violations'] })`,
  );
  return violations.map(
    ({ id, nodes: [first] }) =>
      `${id}: ${first?.html.slice(0, 200)}: ${first?.failureSummary?.replaceAll(/\s+/g, ' ').slice(0, 300)}`,
  );
}
