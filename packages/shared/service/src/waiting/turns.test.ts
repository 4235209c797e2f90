import { expect, test } from 'vitest';
import { AppError } from '@berth/contracts/errors';
import { createTurns } from './turns.ts';

const refusal = () => new AppError('conflict', 'still busy');
const patience = (patienceMs = 5_000) => ({ patienceMs, refusal });

test('work of one name runs one after the other, in order, even after failures', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];

  const first = turns('a')(async () => {
    await gate.promise;
    order.push('first');
    throw new Error('no');
  });
  const second = turns('a')(async () => order.push('second'), patience());
  await turns('b')(async () => order.push('another name'), patience());
  gate.resolve();

  await expect(first).rejects.toThrow('no');
  await second;
  expect(order).toEqual(['another name', 'first', 'second']);
});

test('work that gives up waiting leaves the order of the others intact', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = turns('a')(async () => {
    await gate.promise;
    order.push('first');
  });
  const impatient = turns('a')(async () => order.push('impatient'), patience(10));
  const patient = turns('a')(async () => order.push('patient'), patience());

  await expect(impatient).rejects.toMatchObject({ code: 'conflict' });
  gate.resolve();
  await Promise.all([first, patient]);

  expect(order).toEqual(['first', 'patient']);
});
