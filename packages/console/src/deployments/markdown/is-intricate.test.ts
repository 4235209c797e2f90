import { expect, it } from 'vitest';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { isIntricate } from './is-intricate.ts';
import Markdown from './markdown.tsx';

const size = 64 * 1024;
const filled = (piece: string) => piece.repeat(size / piece.length);

it.for([['> '], ['1) '], ['* '], ['*_'], ['[a]('], ['![[]()'], ['[a]: b\n'], ['[x]()'], ['`` ` '], ['<a '], ['**a *']])(
  'a description that repeats %j is shown as written, without delay',
  ([piece = '']) => {
    const text = filled(piece);
    const before = performance.now();

    expect(renderToString(createElement(Markdown, { text }))).toContain('<pre');
    expect(performance.now() - before).toBeLessThan(10_000);
  },
);

it('the most intricate texts that are still read as Markdown are shown soon, and do not overflow the stack', () => {
  for (const piece of ['*_', '[a]: b\n', '[x]()', '>\n', '[a](']) {
    let text = '';
    while (!isIntricate(text + piece)) text += piece;
    const before = performance.now();
    expect(renderToString(createElement(Markdown, { text }))).not.toContain('<pre');
    expect(performance.now() - before).toBeLessThan(20_000);
  }
});

it('prose with lists, quotes, links, code and rules is read as Markdown', () => {
  const page = [
    '# Web',
    'See [the *runbook*](https://example.test) and `kubectl get pods`.',
    '> quoted\n> > twice',
    '- a\n  - b\n    1. c',
    '-'.repeat(60),
    '```sh\nberth deploy\n```',
  ].join('\n\n');

  expect(isIntricate(page.repeat(60))).toBe(false);
});
