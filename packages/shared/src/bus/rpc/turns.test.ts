import { expect, test } from 'vitest';
import { AppError } from '../../errors.ts';
import { createTurns } from './turns.ts';

const refusal = () => new AppError('conflict', 'still busy');
const turn = (name: string, patienceMs = 5_000) => ({ name, patienceMs, refusal });

test('work of one name goes one after the other, in order, whatever becomes of it', async () => {
  const inTurn = createTurns();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];

  const first = inTurn(turn('a'), async () => {
    await gate.promise;
    seen.push('first');
    throw new Error('no');
  });
  const second = inTurn(turn('a'), async () => seen.push('second'));
  await inTurn(turn('b'), async () => seen.push('another name'));
  gate.resolve();

  await expect(first).rejects.toThrow('no');
  await second;
  expect(seen).toEqual(['another name', 'first', 'second']);
});

test('patience ends; those behind still wait for what is under way', async () => {
  const inTurn = createTurns();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const first = inTurn(turn('a'), async () => {
    await gate.promise;
    seen.push('first');
  });
  const impatient = inTurn(turn('a', 10), async () => seen.push('impatient'));
  const patient = inTurn(turn('a'), async () => seen.push('patient'));

  await expect(impatient).rejects.toMatchObject({ code: 'conflict' });
  gate.resolve();
  await Promise.all([first, patient]);

  expect(seen).toEqual(['first', 'patient']);
});
