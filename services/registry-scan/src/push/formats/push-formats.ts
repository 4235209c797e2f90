import { distribution } from './distribution.ts';
import { github } from './github.ts';
import { harbor } from './harbor.ts';
import type { PushFormat } from './push-format.ts';
import { zot } from './zot.ts';

/** The formats in which registries send push events, each at its own path. */
export const pushFormats: ReadonlyMap<string, PushFormat> = new Map(
  [distribution, harbor, zot, github].map((format) => [format.path, format]),
);
