import { expect, test } from 'vitest';
import { pause } from './pause.ts';
import { together } from './run-together.ts';

const untilAborted = (ended: string[], name: string) => async (signal: AbortSignal) => {
  await pause(60_000, signal);
  ended.push(name);
};

test('a failure of one stops the others, waits for them, and goes on', async () => {
  const ended: string[] = [];
  const fail = async () => {
    throw new Error('broken');
  };

  const running = together(new AbortController().signal, [untilAborted(ended, 'a'), fail, untilAborted(ended, 'b')]);

  await expect(running).rejects.toThrow('broken');
  expect(ended).toEqual(['a', 'b']);
});

test('ends without an error when its signal aborts, whatever that breaks', async () => {
  const stopping = new AbortController();
  const ended: string[] = [];
  const breaksAtTheEnd = async (signal: AbortSignal) => {
    await pause(60_000, signal);
    throw new Error('cut off');
  };

  const running = together(stopping.signal, [untilAborted(ended, 'a'), breaksAtTheEnd]);
  stopping.abort();

  await running;
  expect(ended).toEqual(['a']);
});
