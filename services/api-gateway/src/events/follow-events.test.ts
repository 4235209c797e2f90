import { sampleIdentities } from '@berth/testing/test-identities';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followEvents } from './follow-events.ts';

test('a quiet stream of events gets a comment with its position every 15 s', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const position = { created: '2026-01-01T00:00:00.000Z', sequence: 7 };
  const stream = followEvents(position, {
    feed: { after: async () => ({ position, events: [], more: false }) },
    identity: async () => sampleIdentities.siteAdmin,
    isFor: () => true,
    wakeUp: { wait: async (ms) => void vi.advanceTimersByTime(ms) },
    signal: new AbortController().signal,
  });

  const began = performance.now();
  const comments: [number, string][] = [];
  for await (const text of stream) {
    comments.push([Math.floor((performance.now() - began) / 1_000), text.slice(text.indexOf(':'))]);
    if (comments.length === 4) break;
  }

  const comment = `: here\nid: ${Date.parse(position.created)}-7\n\n`;
  expect(comments.slice(1)).toEqual([15, 30, 45].map((second) => [second, comment]));
});
