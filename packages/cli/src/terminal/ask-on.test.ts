import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askOn } from './ask-on.ts';

/** Two ends of a terminal, or of a pipe. */
function ends(isTTY: boolean) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY }));
  const given = { stdin, stderr } as unknown as Parameters<typeof askOn>[0];
  return {
    ask: askOn(given),
    type: (text: string) => stdin?.write(text),
    end: () => stdin?.end(),
    shown: () => String(stderr?.read()),
  };
}

test('a question is shown, and answered by the line that is typed', async () => {
  const terminal = ends(true);
  const answer = terminal.ask('Apply this? ');
  terminal.type('yes\r');

  expect(await answer).toBe('yes');
  expect(terminal.shown()).toContain('Apply this? ');
});

test('without a terminal nothing is asked, even if there is input', async () => {
  const pipe = ends(false);
  pipe.type('yes\n');

  expect(await pipe.ask('Apply this? ')).toBe(null);
});

test('Ctrl-C at a question cancels the command, and the end of the input counts as no answer', async () => {
  const terminal = ends(true);
  const cancelled = terminal.ask('Apply this? ');
  terminal.type('\u0003');
  await expect(cancelled).rejects.toMatchObject({ outcome: 'cancelled' });

  const closed = ends(true);
  const answer = closed.ask('Apply this? ');
  closed.end();
  expect(await answer).toBe('');
});
