import { z } from 'zod';
import { filter, wholeNumber } from '../../definition/paging.ts';
import { GivenTime, Id } from '../../fields/fields.ts';

const ContainerName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a container')
  .meta({ description: 'needed where the pod has several' });

const noPreviousToFollow = { path: ['previous'], error: 'cannot be combined with follow' };

const options = {
  container: ContainerName.optional(),
  previous: filter.boolean
    .optional()
    .meta({ description: 'true reads the log of the container before its last restart' }),
  tail_lines: wholeNumber(0, 10_000).optional().meta({ description: 'only this many lines, the last ones' }),
  since: GivenTime.optional().meta({ description: 'only lines of this time or later' }),
  follow: filter.boolean.optional().meta({ description: 'true continues until the pod ends' }),
};

const isPossible = ({ previous, follow }: { previous?: boolean | undefined; follow?: boolean | undefined }) =>
  !(previous && follow);

export const PodLogQuery = z.strictObject(options).refine(isPossible, noPreviousToFollow);
export type PodLogQuery = z.output<typeof PodLogQuery>;

/** How far a log was read. The time of a line is only as exact as the runtime's clock, so lines with equal times are counted. */
export const LogPosition = z.strictObject({
  /** The time of the last line read, as the container runtime wrote it; null if the log was empty so far. */
  at: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/)
    .refine((time) => !Number.isNaN(Date.parse(time)), 'must be a time')
    .nullable(),
  /** How many lines with exactly that time were read. */
  lines: z.number().int().nonnegative(),
});
export type LogPosition = z.infer<typeof LogPosition>;

export const PodLogRequest = z
  .strictObject({ ...options, resource_id: Id, position: LogPosition.nullable() })
  .refine(isPossible, noPreviousToFollow);
export type PodLogRequest = z.output<typeof PodLogRequest>;

export const PodLogPart = z.strictObject({
  text: z.string(),
  /** The position for the next request. */
  position: LogPosition,
  /**
   * `more`: further lines may be available at once; `read`: all lines so far were read; `ended`: no more lines will come, with
   * the reason.
   */
  state: z.enum(['more', 'read', 'ended']),
  reason: z.string().nullable(),
});
export type PodLogPart = z.infer<typeof PodLogPart>;
