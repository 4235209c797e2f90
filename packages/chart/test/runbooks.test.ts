import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../../', import.meta.url);
const Alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.union([
          z.object({ alert: z.string(), annotations: z.object({ runbook: z.string() }) }),
          z.object({ record: z.string() }),
        ]),
      ),
    }),
  ),
});

const page = await readFile(new URL('docs/runbooks.md', root), 'utf8');
const sections = new Map(
  [...page.matchAll(/^## (Berth\w+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(([, name, text]) => [name, text]),
);
const groupsOf = async (file: string) =>
  Alerts.parse(parse(await readFile(new URL(`deploy/berth/files/${file}`, root), 'utf8'))).groups;
const groups = [...(await groupsOf('alerts.yaml')), ...(await groupsOf('slos.yaml'))];
const rules = groups.flatMap((group) => group.rules).filter((rule) => 'alert' in rule);

test('each alert names an existing runbook, and each runbook belongs to an alert', () => {
  expect(new Set(sections.keys())).toEqual(new Set(rules.map(({ alert }) => alert)));
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    rules.map(({ alert }) => `docs/runbooks.md#${alert.toLowerCase()}`),
  );
});

test('the table lists each alert', () => {
  const listed = [...page.matchAll(/^\| \[(Berth\w+)\]\(#(\w+)\) \|/gm)];

  expect(new Set(listed.map(([, name]) => name))).toEqual(new Set(sections.keys()));
  expect(listed.map(([, , anchor]) => anchor)).toEqual(listed.map(([, name = '']) => name.toLowerCase()));
});

test.each(rules)('the runbook of $alert covers meaning, impact, diagnosis, repair and escalation', ({ alert }) => {
  const labels = [...(sections.get(alert) ?? '').matchAll(/^\*\*(.+?)\.?\*\*/gm)].map(([, label]) => label);

  expect(labels).toEqual(['Means', 'Users notice', 'Look', 'Mend', 'Escalate']);
});
