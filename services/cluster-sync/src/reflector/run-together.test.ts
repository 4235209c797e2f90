import { expect, test } from 'vitest';
import { pause } from '@berth/service/waiting/pause';
import { runTogether } from './run-together.ts';

const untilAborted = (ended: string[], name: string) => async (signal: AbortSignal) => {
  await pause(60_000, signal);
  ended.push(name);
};

test('when one fails, the error is thrown after the others have been stopped', async () => {
  const ended: string[] = [];
  const fail = async () => {
    throw new Error('broken');
  };

  const running = runTogether(new AbortController().signal, [untilAborted(ended, 'a'), fail, untilAborted(ended, 'b')]);

  await expect(running).rejects.toThrow('broken');
  expect(ended).toEqual(['a', 'b']);
});

test('stopping ends all without an error, even if one of them fails while it stops', async () => {
  const stopping = new AbortController();
  const ended: string[] = [];
  const breaksAtTheEnd = async (signal: AbortSignal) => {
    await pause(60_000, signal);
    throw new Error('cut off');
  };

  const running = runTogether(stopping.signal, [untilAborted(ended, 'a'), breaksAtTheEnd]);
  stopping.abort();

  await running;
  expect(ended).toEqual(['a']);
});
