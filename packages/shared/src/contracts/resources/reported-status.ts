import { z } from 'zod';
import { Timestamp } from '../fields.ts';

const Color = z.enum(['primary', 'success', 'danger', 'warning', 'secondary']);

const Metric = z.strictObject({
  value: z.string().regex(/^-?\d+(?:\.\d+)?$/, 'must be a decimal number'),
  unit: z.string(),
  short_description: z.string(),
  color: Color.nullable().optional(),
});

const Notice = z.strictObject({ level: z.enum(['Info', 'Warning', 'Danger']), text: z.string() });

/** What the workload itself answers at the status endpoint that its chart declares. */
export const ReportedContent = z.strictObject({
  status: z.strictObject({ name: z.string(), color: Color }),
  primary_metric: Metric.nullable().optional(),
  metrics: z.array(Metric).nullable().optional(),
  notices: z.array(Notice),
});

export type ReportedContent = z.infer<typeof ReportedContent>;

/** The last poll of a deployment's status endpoint: content or error. */
export const ReportedStatus = z.strictObject({
  timestamp: Timestamp,
  get_successful: z.boolean(),
  content: ReportedContent.nullable(),
  error: z.string().nullable(),
});
export type ReportedStatus = z.infer<typeof ReportedStatus>;
