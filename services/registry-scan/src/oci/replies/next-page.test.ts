import { describe, expect, test } from 'vitest';
import { nextPage } from './next-page.ts';

describe('nextPage', () => {
  const current = new URL('https://registry.example.com/v2/charts/web/tags/list?n=100');

  test.for([
    ['relative', '</v2/charts/web/tags/list?n=100&last=b>; rel="next"'],
    ['absolute', '<https://registry.example.com/v2/charts/web/tags/list?n=100&last=b>; rel="next"'],
    ['unquoted', '</v2/charts/web/tags/list?n=100&last=b>;rel=next'],
  ] as const)('reads a link that is %s', ([, link]) => {
    expect(nextPage(link, current)?.href).toBe('https://registry.example.com/v2/charts/web/tags/list?n=100&last=b');
  });

  test.for([undefined, '', '</v2/x>; rel="prev"', 'nonsense'])('ends at %s', (link) => {
    expect(nextPage(link, current)).toBeNull();
  });

  test.for([
    'https://evil.example/v2/charts/web/tags/list',
    'http://registry.example.com/v2/charts/web/tags/list',
    '/v2/_catalog',
    'http://[',
  ])('refuses %s', (target) => {
    expect(() => nextPage(`<${target}>; rel="next"`, current)).toThrow(/next page/);
  });
});
