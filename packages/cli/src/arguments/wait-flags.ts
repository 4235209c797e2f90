import { durationFlag } from '../input/duration.ts';

export interface WaitFlags {
  wait?: boolean;
  timeout?: number;
}

/** Of commands that queue tasks. */
export const waitFlags = {
  wait: { kind: 'boolean', brief: 'Follow the log until the task ends', optional: true, withNegated: false },
  timeout: durationFlag('How long --wait waits at most; 10m unless given'),
} as const;
