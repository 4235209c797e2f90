import { expect, test } from 'vitest';
import { runsProgramsInMemory } from './temporary-parent.ts';

test.for<[string, string, boolean]>([
  ['is there', 'tmpfs /dev/shm tmpfs rw,nosuid,nodev,size=24684100k 0 0', true],
  ['runs no programs', 'tmpfs /dev/shm tmpfs rw,nosuid,nodev,noexec 0 0', false],
  ['is hidden by a disk', 'tmpfs /dev/shm tmpfs rw 0 0\n/dev/sda1 /dev/shm ext4 rw 0 0', false],
  ['is missing', 'tmpfs /dev/shm2 tmpfs rw 0 0\n', false],
])('programs of tests run from memory only where its file system allows it: it %s', ([, mounts, runs]) => {
  expect(runsProgramsInMemory(mounts)).toBe(runs);
});
