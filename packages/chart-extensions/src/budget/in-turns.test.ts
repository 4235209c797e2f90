import { setImmediate as afterPoll } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Budget } from './budget.ts';
import { atOnce, inTurns } from './in-turns.ts';
import { outputParts } from '../config/output-values.ts';
import { ValuesUi } from '../form/values-ui.ts';

const config = { list: Array.from({ length: 1_000 }, (_, index) => index) };
const form = ValuesUi.parse({
  inputs: [{ id: 'list', type: 'array', itemType: 'number', label: 'List' }],
  outputs: {
    values: Array.from({ length: 20 }, (_, index) => ({
      path: [`k${index}`],
      value: { FieldValue: { input: 'list' } },
    })),
  },
});
const sourcesWith = (budget: Budget) => ({ config, propertyOf: () => undefined, budget });

test('the outputs of a form pause after every 5,000 steps plus at most one part of 1,000 steps', async () => {
  const budget = new Budget();
  const pausedAt: number[] = [0];

  await inTurns(outputParts(form, sourcesWith(budget)), budget, async () => pausedAt.push(budget.spent.steps));

  expect(budget.spent.steps).toBeGreaterThan(20_000);
  const turns = [...pausedAt.slice(1), budget.spent.steps].map((steps, index) => steps - (pausedAt[index] ?? 0));
  expect(Math.max(...turns)).toBeLessThan(6_100);
});

test('the outputs of a form are the same with and without pauses', async () => {
  const budget = new Budget();

  const paused = await inTurns(outputParts(form, sourcesWith(budget)), budget, afterPoll);

  expect(paused).toEqual(atOnce(outputParts(form, sourcesWith(new Budget()))));
});

test('exceeding a budget ends work that pauses', async () => {
  const budget = new Budget({ steps: 3_000, bytes: 1_000_000 });

  await expect(inTurns(outputParts(form, sourcesWith(budget)), budget, afterPoll)).rejects.toThrow(
    'more than 3000 steps',
  );
});
