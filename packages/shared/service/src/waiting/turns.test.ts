import { expect, test } from 'vitest';
import { AppError } from '@berth/contracts/errors';
import { createTurns } from './turns.ts';

const refusal = () => new AppError('conflict', 'still busy');
const turn = (name: string, patienceMs = 5_000) => ({ name, patienceMs, refusal });

test('work of one name runs one after the other, in order, even after failures', async () => {
  const inTurn = createTurns();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];

  const first = inTurn(turn('a'), async () => {
    await gate.promise;
    order.push('first');
    throw new Error('no');
  });
  const second = inTurn(turn('a'), async () => order.push('second'));
  await inTurn(turn('b'), async () => order.push('another name'));
  gate.resolve();

  await expect(first).rejects.toThrow('no');
  await second;
  expect(order).toEqual(['another name', 'first', 'second']);
});

test('work that gives up waiting leaves the order of the others intact', async () => {
  const inTurn = createTurns();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = inTurn(turn('a'), async () => {
    await gate.promise;
    order.push('first');
  });
  const impatient = inTurn(turn('a', 10), async () => order.push('impatient'));
  const patient = inTurn(turn('a'), async () => order.push('patient'));

  await expect(impatient).rejects.toMatchObject({ code: 'conflict' });
  gate.resolve();
  await Promise.all([first, patient]);

  expect(order).toEqual(['first', 'patient']);
});
