import { describe, expect, test } from 'vitest';
import { expandedSize } from './expanded-size.ts';
import { tagFormat } from './tag-format.ts';
import { cpuMsSince } from '@berth/testing/cpu-ms-since';

describe('tagFormat', () => {
  test.for([
    ['(?<version>\\d+)-(?<branch>.+)', '7-main', { version: '7', revision: null, branch: 'main', commit: null }],
    ['(?P<version>\\d+)-g(?P<commit>\\w+)', '7-gabc', { version: '7', revision: null, branch: null, commit: 'abc' }],
    ['(?<version>\\d+)(?:-(?P<revision>\\d+))?', '7', { version: '7', revision: null, branch: null, commit: null }],
    ['^(?<version>\\d+)$', 'x7', null],
    ['(?<version>\\d*)', 'main', null],
  ] as const)('%s reads %s', ([pattern, tag, parts]) => {
    expect(tagFormat(pattern)(tag)).toEqual(parts);
  });

  test('matches anywhere unless the pattern is anchored', () => {
    expect(tagFormat('(?<version>\\d+)')('release-12')).toMatchObject({ version: '12' });
  });

  test.for([
    ['no version group', '(?<branch>.+)', /must have a group named version/],
    ['the empty pattern', '', /must have a group named version/],
    ['look-around', '(?<version>a)(?=x)', /error parsing regexp/],
    ['a back reference', '(?<version>a)\\1', /error parsing regexp/],
    ['an unclosed group', '(?<version>a', /error parsing regexp/],
    ['the same group name twice', '(?<version>a)(?P<version>b)', /error parsing regexp/],
    ['a huge repeat', '(?<version>(a{1000}){1000})', /counted repeats this large/],
    ['many repeats', `(?<version>${'a{999}'.repeat(70)})`, /counted repeats this large/],
    ['a repeat of optionals', `(?<version>${'(a?){1000}'.repeat(40)})`, /counted repeats this large/],
    ['repeats in classes and quotes', '(?<version>[{](\\Q(\\E.{999}){9}[}])', /counted repeats this large/],
  ] as const)('refuses %s', ([, pattern, words]) => {
    const before = process.threadCpuUsage();

    expect(() => tagFormat(pattern)).toThrow(words);

    expect(cpuMsSince(before)).toBeLessThan(250);
  });

  test('matches in linear time where a backtracking engine takes exponential time', () => {
    const format = tagFormat('^(?<version>(a+)+)$');
    const before = process.threadCpuUsage();

    expect(format(`${'a'.repeat(127)}!`)).toBeNull();

    expect(cpuMsSince(before)).toBeLessThan(250);
  });
});

describe('the expanded size of a pattern', () => {
  test.for([
    ['', 0],
    ['abc', 3],
    ['a{10}', 11],
    ['a{2,10}', 10],
    ['a{2,}', 3],
    ['(a{9}){9}', 110],
    ['[{]{3}', 4],
    ['\\{\\d{3}', 5],
  ] as const)('%s has size %d', ([pattern, size]) => {
    expect(expandedSize(pattern)).toBe(size);
  });
});
