import { expect, test } from 'vitest';
import { registriesFor } from './registries-for.ts';

const sources = [
  { domain: 'a.example', repositoryPrefix: '', repositories: undefined },
  { domain: 'b.example', repositoryPrefix: 'charts/', repositories: undefined },
  { domain: 'c.example', repositoryPrefix: '', repositories: ['charts/web'] },
];

test.for([
  ['the one that is named', 'a.example', 'charts/web', ['a.example']],
  ['any that may have it, where none is named', null, 'charts/web', ['a.example', 'b.example', 'c.example']],
  ['any that may have it, under a name we do not know', 'proxy', 'other/web', ['a.example']],
  ['none where the named one does not watch the repository', 'b.example', 'other/web', []],
] as const)('a hint is about %s', ([, host, repository, domains]) => {
  expect(registriesFor({ host, repository }, sources)).toEqual(domains);
});
