import { followLog } from '@berth/client';
import { berth } from '../api/berth.ts';
import { LogView } from '../ui/log/log-view.tsx';

/** Berth's own lines begin with `-- ` and say how the task ended. The others are Helm's. */
function toneOf(line: string): 'bad' | 'ok' | 'muted' | null {
  if (line.startsWith('-- Done')) return 'ok';
  if (line.startsWith('-- Failed') || /^error\b/i.test(line)) return 'bad';
  return line.startsWith('-- ') ? 'muted' : null;
}

/** The log of a task, followed until it ends. */
export function TaskLog({ id }: { id: string }) {
  return (
    <LogView
      label="Log of the task"
      of={id}
      read={(signal) => followLog(berth, id, { signal })}
      toneOf={toneOf}
      fileName={`task-${id.slice(0, 8)}.log`}
      empty="The task has ended without a line"
    />
  );
}
