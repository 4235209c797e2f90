import type { Sample } from '@berth/devstack/journey/find-sample';
import type { Platform } from '../setup/platform.ts';

/** What the tests of all clients share: one platform with the sample chart and the env `clients`, and a folder for files. */
export interface Grounds {
  platform: Platform;
  sample: Sample;
  folder: string;
}
