import type { ResponseInput } from '@berth/contracts/definition/contract';
import type { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import type { LogRepository } from '../../store/tasks/log-repository.ts';
import type { TaskRecord } from '../../records/task-record.ts';

/** An answer must fit into one message of the bus; reading line by line returns the whole log. */
const maxTextBytes = 2 * 1024 * 1024;
const pageSize = 500;

/** The whole log as text, or its beginning with a note about the rest. */
export async function logText(logs: LogRepository, taskId: string): Promise<string> {
  const parts: string[] = [];
  let bytes = 0;
  for (let from = 0; ; from += pageSize) {
    const lines = await logs.lines(taskId, from, pageSize);
    for (const line of lines) {
      const text = `${printed(line)}\n`;
      bytes += Buffer.byteLength(JSON.stringify(text));
      if (bytes > maxTextBytes) return `${parts.join('')}… the rest is shown with ?follow=true\n`;
      parts.push(text);
    }
    if (lines.length < pageSize) return parts.join('');
  }
}

const printed = ({ at, source, text }: LogLine): string => `${at} ${source}: ${text}`;

type LogPage = ResponseInput<typeof deploymentTasks.operations.log_lines>;

/** The lines after a position, and whether more may come. */
export async function logPage(
  logs: LogRepository,
  { id, status, reason }: Pick<TaskRecord, 'id' | 'status' | 'reason'>,
  { from, limit }: { from: number; limit: number },
): Promise<LogPage> {
  const lines = [...(await logs.lines(id, from, limit))];
  const part = { lines, next: from + lines.length };
  // The status was read before the lines: if the task had ended, no lines follow these.
  if (status === 'Pending' || status === 'Started' || lines.length === limit) return { ...part, finished: false };
  return { ...part, finished: true, outcome: { status, reason } };
}
