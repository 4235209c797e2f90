import { z } from 'zod';
import { Text, Timestamp } from '../../fields/fields.ts';

const Color = z.enum(['primary', 'success', 'danger', 'warning', 'secondary']);

// Every list of deployments contains it, so a workload must not make rows large.
const ShortText = Text.max(500);
const maxItems = 50;

const Metric = z.strictObject({
  value: Text.max(100).regex(/^-?\d+(?:\.\d+)?$/, 'must be a decimal number'),
  unit: ShortText,
  short_description: ShortText,
  color: Color.nullable().optional(),
});

const Notice = z.strictObject({ level: z.enum(['Info', 'Warning', 'Danger']), text: ShortText });

/** The answer of the workload at the status endpoint that its chart declares. */
export const ReportedContent = z.strictObject({
  status: z.strictObject({ name: ShortText, color: Color }),
  primary_metric: Metric.nullable().optional(),
  metrics: z.array(Metric).max(maxItems).nullable().optional(),
  notices: z.array(Notice).max(maxItems),
});

export type ReportedContent = z.infer<typeof ReportedContent>;

/** The result of the last poll of a deployment's status endpoint: content or error. */
export const ReportedStatus = z.strictObject({
  timestamp: Timestamp,
  get_successful: z.boolean(),
  content: ReportedContent.nullable(),
  error: z.string().nullable(),
});
export type ReportedStatus = z.infer<typeof ReportedStatus>;
