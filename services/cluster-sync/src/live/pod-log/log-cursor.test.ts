import { describe, expect, test } from 'vitest';
import { createLogCursor, readFrom } from './log-cursor.ts';
import { createLogSplitter, type LogLine } from './log-lines.ts';

const at = (nanos: number) => `2026-01-02T03:04:0${Math.floor(nanos / 1e9)}.${String(nanos % 1e9).padStart(9, '0')}Z`;
const start = { at: null, lines: 0 };

/** Reads a log in parts of `size` new lines; each part starts at the time of its position, as the kubelet serves it. */
function readInParts(log: readonly LogLine[], size: number): string[] {
  const read: string[] = [];
  let position: { at: string | null; lines: number } = start;
  for (let parts = 0; parts <= log.length; parts += 1) {
    const cursor = createLogCursor(position);
    const since = readFrom(position);
    const served = log.filter(
      (line) => since === undefined || line.at === null || Date.parse(line.at) >= Date.parse(since),
    );
    read.push(
      ...served
        .filter((line) => cursor.take(line))
        .slice(0, size)
        .map(({ text }) => text),
    );
    // Only the lines of this part count.
    const again = createLogCursor(position);
    let taken = 0;
    for (const line of served) if (taken < size && again.take(line)) taken += 1;
    position = again.position();
  }
  return read;
}

describe('a log that is read in parts', () => {
  const logs: [string, number[]][] = [
    ['with a different time for each line', [1, 2, 3, 4_000_000_000]],
    ['with many lines of the same time', [5, 5, 5, 5, 5, 6, 6]],
    ['whose lines are a little out of order', [10, 30, 20, 30, 25, 40, 1_000_000_005, 999_999_999, 1_000_000_006]],
  ];

  for (const size of [1, 2, 3, 100]) {
    test.for(logs)(`has each line once, ${size} at a time: %s`, ([, times]) => {
      const log = times.map((nanos, index) => ({ at: at(nanos), text: String(index) }));

      expect(readInParts(log, size)).toEqual(log.map(({ text }) => text));
    });
  }

  test('has a message of the kubelet only once, before the first line', () => {
    const log = [
      { at: null, text: 'words' },
      { at: at(1), text: 'line' },
      { at: null, text: 'later words' },
    ];

    expect(readInParts(log, 1)).toEqual(['words', 'line']);
  });
});

test('times with other zones and fewer digits are compared as times', () => {
  const cursor = createLogCursor({ at: '2026-01-02T03:04:05.5Z', lines: 1 });
  const times = [
    '2026-01-02T05:04:05.400000000+02:00',
    '2026-01-02T05:04:05.500000000+02:00',
    '2026-01-02T03:04:05.500000001Z',
  ];

  expect(times.map((time) => cursor.take({ at: time, text: '' }))).toEqual([false, false, true]);
});

describe('the lines of a log', () => {
  const linesOf = (...chunks: (string | Uint8Array)[]) => {
    const splitter = createLogSplitter();
    const lines = chunks.flatMap((chunk) => Array.from(splitter.split(Buffer.from(chunk))));
    const rest = splitter.rest();
    return [...lines, ...(rest ? [rest] : [])];
  };

  test('are split from their times, wherever a chunk ends', () => {
    const text = Buffer.from(`${at(1)} one ✓\r\n${at(2)} \nkubelet says\n${at(3)} rest`);
    const expected = [
      { at: at(1), text: 'one ✓' },
      { at: at(2), text: '' },
      { at: null, text: 'kubelet says' },
      { at: at(3), text: 'rest' },
    ];

    for (let end = 0; end <= text.length; end += 1)
      expect(linesOf(text.subarray(0, end), text.subarray(end))).toEqual(expected);
  });

  test('that are too long are cut, and the next one is whole', () => {
    const [long, next] = linesOf(`${at(1)} ${'x'.repeat(70_000)}`, 'y'.repeat(70_000), `\n${at(2)} next\n`);

    expect(long?.text).toHaveLength(64 * 1024 - 31 + 1);
    expect(long?.text.endsWith('x…')).toBe(true);
    expect(next).toEqual({ at: at(2), text: 'next' });
  });

  test('that begin with a malformed time have no time', () => {
    expect(linesOf('2026-99-99T99:99:99Z x\n')).toEqual([{ at: null, text: '2026-99-99T99:99:99Z x' }]);
  });

  test('may hold any bytes', () => {
    expect(linesOf(Buffer.from([0xff, 0xfe, 0x00, 0x0a]))).toEqual([{ at: null, text: '\uFFFD\uFFFD\0' }]);
  });
});
