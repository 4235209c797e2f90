import { expect, test } from 'vitest';
import { commandMeant } from './command-meant.ts';
import { noCommandText } from './command-elsewhere.ts';

test.for([
  ['a word of another tool names the command for it', 'scale', ['`cancel`'], '; did you mean `berth deploy --set`?'],
  ['a word for several commands names all of them', 'auth', [], '; did you mean `berth login` or `berth whoami`?'],
  ['a kind in front of its verb names the verbs', 'env', [], '; did you mean `berth get envs` or `berth create env`?'],
  ['a kind that is not created by hand names one verb', 'charts', ['`chart`'], '; did you mean `berth get charts`?'],
  ['the word for a flag names the flag', 'version', [], '; did you mean `berth --version`?'],
  ['a misspelt command names those that are near', 'depoy', ['`deploy`'], '; did you mean `deploy`?'],
  ['a word that nothing resembles names none', 'frobnicate', [], ''],
] as const)('%s', ([, input, corrections, end]) => {
  expect(noCommandText(input, corrections)).toBe(`berth: there is no command ${input}${end}`);
});

test.for([
  ['a command', ['deploy', 'web', '-e', 'prod'], 'berth deploy'],
  ['a command in a group', ['token', 'create', '--bot', 'ci'], 'berth token create'],
  ['a group without its command', ['create', 'evn'], 'berth create'],
  ['an unknown command', ['deplo'], 'berth'],
] as const)('of the words of %s, those that name it are known', ([, words, meant]) => {
  expect(commandMeant(words)).toBe(meant);
});
