import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { isJson } from '@berth/contracts/fields/json';
import { ReportedContent } from '@berth/contracts/resources/deployments/reported-status';
import type { StatusPollResult } from '@berth/contracts/resources/tasks/status-polls';
import { z } from 'zod';
import type { Answer } from '../calls/deployment-client.ts';
import { plainText } from '../log/log-texts.ts';

const maxNotices = 50;
const maxMetrics = 50;

const text = z.string().transform((value) => plainText(value).slice(0, 500).toWellFormed());
const { color } = ReportedContent.shape.status.shape;
/** Workloads may send numbers; the platform stores decimals as text. */
const decimal = z
  .union([z.string().max(100), z.number().transform((value) => String(value))])
  .pipe(z.string().regex(/^-?\d+(?:\.\d+)?$/));
const metric = z.object({ value: decimal, unit: text, short_description: text, color: color.nullish() });
const Content = z.object({
  status: z.object({ name: text, color }),
  primary_metric: metric.nullish(),
  metrics: z.array(metric).max(maxMetrics).nullish(),
  notices: z
    .array(z.object({ level: z.enum(['Info', 'Warning', 'Danger']), text }))
    .max(maxNotices)
    .default([]),
});

/** A deployment's answer to a poll in the platform's form, or why it is invalid. Unknown members are left out. */
export function readStatus({ status, text: body }: Answer, token: string): StatusPollResult['status'] {
  if (status >= 300 && status < 400) return { error: `It answered ${status}, and redirects are not followed` };
  if (status < 200 || status >= 300) return { error: `It answered ${status}` };
  const json = parsed(body);
  if (json === undefined) return { error: 'Its answer is not JSON' };
  // Redacts again: the search in the raw answer does not find an escaped token.
  const shown = JSON.stringify(json).replaceAll(token, '***');
  const read = Content.safeParse(JSON.parse(shown));
  if (read.success) return { content: withoutUndefined(read.data) };
  const [issue] = read.error.issues;
  return { error: `Its answer is not a status: ${issue?.path.join('.')} ${issue?.message ?? ''}`.slice(0, 500) };
}

/** Undefined unless it is JSON that the platform can keep: at most 64 levels and 10,000 members. */
function parsed(body: string): unknown {
  const json = parsedBoundedJson(body);
  return isJson(json) ? json : undefined;
}

const withoutUndefined = (content: z.infer<typeof Content>): ReportedContent =>
  ReportedContent.parse(JSON.parse(JSON.stringify(content)));
