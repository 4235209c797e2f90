import { describe, expect, it } from 'vitest';
import { tried } from './tried-tag.ts';

const formats = [
  { id: '1', pattern: String.raw`^(?<version>\d+\.\d+\.\d+)-(?<branch>.+)\.(?<revision>\d+)$` },
  { id: '2', pattern: String.raw`^v?(?<version>\d+\.\d+\.\d+)` },
];

describe('a tag to try', () => {
  it('is parsed by the first format that matches', () => {
    const parts = { version: '1.2.3', branch: 'main', revision: '7', commit: null };
    expect(tried(formats, '1.2.3-main.7').match).toEqual({ pattern: formats[0]?.pattern, parts });
    expect(tried(formats, 'v2.0.0').match?.pattern).toBe(formats[1]?.pattern);
    expect(tried(formats, 'latest').match).toBeNull();
  });

  it('tells why a pattern is unusable, and goes on with the others', () => {
    const { match, unusable } = tried([{ id: '0', pattern: '(' }, ...formats], 'v2.0.0');
    expect(match?.parts.version).toBe('2.0.0');
    expect(unusable).toHaveLength(1);
    expect(tried([{ id: '0', pattern: 'x' }], 'x').unusable[0]?.why).toBe('must have a group named version');
  });
});
