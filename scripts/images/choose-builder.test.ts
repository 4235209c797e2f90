import { expect, test } from 'vitest';
import { chooseBuilder, type Machine, PUBLIC_BASE, type Wish } from './choose-builder.ts';

const everything: Machine = { docker: true, buildah: true, mmdebstrap: true };
const nothing: Machine = { docker: false, buildah: false, mmdebstrap: false };
const none: Wish = { builder: undefined, base: undefined };

test.for([
  [
    'Docker with the public base is chosen if its engine answers',
    everything,
    none,
    { builder: 'docker', base: PUBLIC_BASE },
  ],
  [
    'Docker with a named base is chosen if its engine answers',
    everything,
    { ...none, base: 'a' },
    { builder: 'docker', base: 'a' },
  ],
  [
    'buildah with a base made here is chosen if no engine answers',
    { ...everything, docker: false },
    none,
    { builder: 'buildah', base: undefined },
  ],
  [
    'buildah is chosen if it is named, even if an engine answers',
    everything,
    { ...none, builder: 'buildah' },
    { builder: 'buildah', base: undefined },
  ],
  [
    'with a named base, mmdebstrap is not needed',
    { ...nothing, buildah: true },
    { ...none, base: 'a' },
    { builder: 'buildah', base: 'a' },
  ],
] as const)('%s', ([, machine, wish, choice]) => {
  expect(chooseBuilder(machine, wish)).toEqual(choice);
});

test.for([
  ['a machine without any builder', nothing, none, 'buildah is not on the PATH'],
  ['Docker that does not answer', nothing, { ...none, builder: 'docker' }, 'No Docker Engine with buildx answers'],
  ['buildah without a base', { ...nothing, buildah: true }, none, 'mmdebstrap is not on the PATH'],
] as const)('%s is refused, and the error says what to install', ([, machine, wish, words]) => {
  expect(() => chooseBuilder(machine, wish)).toThrow(words);
  expect(() => chooseBuilder(machine, wish)).toThrow('apt-get install buildah mmdebstrap');
});
