import { expect, test } from 'vitest';
import { chooseBuilder, type Machine, PUBLIC_BASE, type Wish } from './choose-builder.ts';

const everything: Machine = { docker: true, buildah: true, mmdebstrap: true };
const nothing: Machine = { docker: false, buildah: false, mmdebstrap: false };
const none: Wish = { builder: undefined, base: undefined };

test.for([
  [
    'Docker builds on the public base where its engine answers',
    everything,
    none,
    { builder: 'docker', base: PUBLIC_BASE },
  ],
  ['Docker builds on the base that is named', everything, { ...none, base: 'a' }, { builder: 'docker', base: 'a' }],
  [
    'buildah builds on a base made here where no engine answers',
    { ...everything, docker: false },
    none,
    { builder: 'buildah', base: undefined },
  ],
  [
    'buildah builds although an engine answers, where it is named',
    everything,
    { ...none, builder: 'buildah' },
    { builder: 'buildah', base: undefined },
  ],
  [
    'a base that is named needs no mmdebstrap',
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
] as const)('%s is refused with what to install', ([, machine, wish, words]) => {
  expect(() => chooseBuilder(machine, wish)).toThrow(words);
  expect(() => chooseBuilder(machine, wish)).toThrow('apt-get install buildah mmdebstrap');
});
