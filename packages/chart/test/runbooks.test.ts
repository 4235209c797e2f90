import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../../', import.meta.url);
const Alerts = z.object({
  groups: z.array(
    z.object({ rules: z.array(z.object({ alert: z.string(), annotations: z.object({ runbook: z.string() }) })) }),
  ),
});

const page = await readFile(new URL('docs/runbooks.md', root), 'utf8');
const sections = new Map(
  [...page.matchAll(/^## (Berth\w+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(([, name, text]) => [name, text]),
);
const { groups } = Alerts.parse(parse(await readFile(new URL('deploy/berth/files/alerts.yaml', root), 'utf8')));
const rules = groups.flatMap((group) => group.rules);

test('each alert names an existing runbook, and each runbook belongs to an alert', () => {
  expect(new Set(sections.keys())).toEqual(new Set(rules.map(({ alert }) => alert)));
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    rules.map(({ alert }) => `docs/runbooks.md#${alert.toLowerCase()}`),
  );
});

test.each(rules)('the runbook of $alert covers meaning, impact, diagnosis, repair and escalation', ({ alert }) => {
  const labels = [...(sections.get(alert) ?? '').matchAll(/^\*\*(.+?)\.?\*\*/gm)].map(([, label]) => label);

  expect(labels).toEqual(['Means', 'Users notice', 'Look', 'Mend', 'Escalate']);
});
