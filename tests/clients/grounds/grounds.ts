import type { Sample } from '@berth/devstack/journey/find-sample';
import type { startOpenWorkload } from './open-workload.ts';
import type { Platform } from '../../setup/platform.ts';

/** What the tests of all clients share: a platform with the sample chart and the env `clients`, and a folder with files and the built `berth`. */
export interface Grounds {
  platform: Platform;
  sample: Sample;
  /** Answers the calls for the deployment `kubernetes`. */
  workload: Awaited<ReturnType<typeof startOpenWorkload>>;
  /** All that any command has written, for the canaries. */
  written: string[];
  folder: string;
  program: string;
  /** The same as a package, from `npm pack`. */
  archive: string;
}
