import { expect, test } from 'vitest';
import { registriesFor } from './registries-for.ts';

const sources = [
  { domain: 'a.example', repositoryPrefix: '', repositories: undefined },
  { domain: 'b.example', repositoryPrefix: 'charts/', repositories: undefined },
  { domain: 'c.example', repositoryPrefix: '', repositories: ['charts/web'] },
].map((source) => ({ key: source.domain, source }));

test.for([
  ['the registry that it names', 'a.example', 'charts/web', ['a.example']],
  [
    'every registry that may have the repository, if the hint names none',
    null,
    'charts/web',
    ['a.example', 'b.example', 'c.example'],
  ],
  [
    'every registry that may have the repository, if the hint names an unknown one',
    'proxy',
    'other/web',
    ['a.example'],
  ],
  ['no registry, if the named one does not scan the repository', 'b.example', 'other/web', []],
] as const)('a hint refers to %s', ([, host, repository, domains]) => {
  expect(registriesFor({ host, repository }, sources)).toEqual(domains);
});
