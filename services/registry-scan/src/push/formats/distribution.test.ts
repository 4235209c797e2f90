import { describe, expect, test } from 'vitest';
import { distribution } from './distribution.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const hintsIn = (body: object) => distribution.hintsIn(body, {});
const push = (target: object, more: object = {}) => ({ action: 'push', target, ...more });

describe('the notifications of the distribution project', () => {
  test('reads the one event of a push that has a tag', () => {
    const events = [
      push({ repository: 'charts/web', digest }),
      { action: 'pull', target: { repository: 'charts/web', tag: '1.0.0' } },
      push({ repository: 'charts/web', tag: '1.0.0', digest }, { request: { host: 'registry.example.com' } }),
    ];

    expect(hintsIn({ events })).toEqual([
      { host: 'registry.example.com', repository: 'charts/web', tag: '1.0.0', digest },
    ]);
  });

  test.for([
    ['is malformed', 'a'.repeat(100_000)],
    ['is not sha256', `sha512:${'0'.repeat(128)}`],
    ['is absent', null],
  ] as const)('drops a digest that %s', ([, claimed]) => {
    const events = [push({ repository: 'charts/web', tag: '1.0.0', digest: claimed })];

    expect(hintsIn({ events })).toEqual([{ host: null, repository: 'charts/web', tag: '1.0.0', digest: null }]);
  });

  test('returns a hint for the whole repository after a deletion', () => {
    const events = [{ action: 'delete', target: { repository: 'charts/web', digest } }];

    expect(hintsIn({ events })).toEqual([{ host: null, repository: 'charts/web', tag: null, digest: null }]);
  });

  test.for([
    ['a repository with ..', push({ repository: '../v2/x', tag: '1' })],
    ['a repository with a query', push({ repository: 'charts/web?x=1', tag: '1' })],
    ['a tag that is a path', push({ repository: 'charts/web', tag: '../../blobs' })],
    ['a tag that is too long', push({ repository: 'charts/web', tag: 'a'.repeat(129) })],
    ['text', 'push'],
    ['null', null],
    ['a target of another type', { action: 'push', target: 7 }],
  ] as const)('skips %s', ([, event]) => {
    expect(hintsIn({ events: [event] })).toEqual([]);
  });

  test('refuses an envelope with more than 1000 events', () => {
    expect(hintsIn({ events: Array.from({ length: 1001 }, () => ({})) })).toBeNull();
    expect(hintsIn({})).toBeNull();
  });
});
