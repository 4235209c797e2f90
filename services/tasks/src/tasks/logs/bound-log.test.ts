import type { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import { describe, expect, test } from 'vitest';
import { boundLog } from './bound-log.ts';

const line = (text: string): LogLine => ({ at: '2026-01-01T00:00:00.000Z', source: 'stdout', text });
const texts = (lines: readonly LogLine[]) => lines.map(({ text }) => text);
const empty = { next: 0, lines: 0, bytes: 0 };
const wide = { lines: 100, bytes: 100_000 };

describe('boundLog', () => {
  test('keeps new lines and counts them', () => {
    const { lines, state } = boundLog(empty, { first: 0, lines: [line('a'), line('b')] }, wide);

    expect(texts(lines)).toEqual(['a', 'b']);
    expect(state).toMatchObject({ next: 2, lines: 2 });
  });

  test('adds nothing when a batch is repeated', () => {
    const once = boundLog(empty, { first: 0, lines: [line('a'), line('b')] }, wide);

    const again = boundLog(once.state, { first: 0, lines: [line('a'), line('b')] }, wide);

    expect(again).toEqual({ lines: [], state: once.state });
  });

  test('adds only the new lines of an overlapping batch', () => {
    const { lines, state } = boundLog(
      { next: 2, lines: 9, bytes: 10 },
      { first: 1, lines: [line('b'), line('c')] },
      wide,
    );

    expect(texts(lines)).toEqual(['c']);
    expect(state).toMatchObject({ next: 3, lines: 10 });
  });

  test('continues after a lost batch', () => {
    const { lines, state } = boundLog({ next: 2, lines: 2, bytes: 10 }, { first: 5, lines: [line('f')] }, wide);

    expect(texts(lines)).toEqual(['f']);
    expect(state.next).toBe(6);
  });

  test.for([
    ['lines', { lines: 3, bytes: 100_000 }],
    ['bytes', { lines: 100, bytes: 3 * 65 }],
  ] as const)('ends with a note once the limit of %s is reached, and takes no further lines', ([, limits]) => {
    const full = boundLog(empty, { first: 0, lines: ['a', 'b', 'c', 'd'].map(line) }, limits);

    expect(texts(full.lines)).toEqual(['a', 'b', 'the log is too long; the rest of the output is not kept']);
    expect(boundLog(full.state, { first: 4, lines: [line('e')] }, limits).lines).toEqual([]);
  });

  test.for([
    'x'.repeat(8192),
    '\u001b'.repeat(8192),
    '字'.repeat(8192),
    '😀'.repeat(4096),
    `x${'😀'.repeat(4095)}`,
    '\ud83d'.repeat(8192),
    '\0x'.repeat(4096),
  ])('shortens a line that is too long, and the result can be stored in Postgres', (text) => {
    const { lines } = boundLog(empty, { first: 0, lines: [line(text)] }, wide);

    const [kept = line('')] = lines;
    expect(Buffer.byteLength(JSON.stringify(kept.text))).toBeLessThanOrEqual(4096);
    expect(kept.text.isWellFormed() && !kept.text.includes('\0')).toBe(true);
    expect(kept.text.length).toBeGreaterThan(500);
  });
});
