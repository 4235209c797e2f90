import { unwrap } from '@berth/client';
import { useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { say } from '../ui/page/toasts.tsx';
import type { AuditFilters } from './audit-query.ts';
import { saveLines, sinkFor } from './save-lines.ts';

interface ExportEventsProps {
  query: AuditFilters['query'];
  onError: (error: unknown) => void;
}

async function* exported(query: AuditFilters['query'], signal: AbortSignal): AsyncGenerator<string> {
  yield* unwrap(await berth.auditEvents.export({ query }, { signal })).lines();
}

const wasStopped = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** Saves all events that match the filters as lines of JSON, however many there are. */
export function ExportEvents({ query, onError }: ExportEventsProps) {
  const [count, setCount] = useState<number | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const run = async () => {
    const abort = new AbortController();
    stop.current = abort;
    onError(null);
    try {
      const sink = await sinkFor(`berth-audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
      setCount(0);
      let total = 0;
      await saveLines(exported(query, abort.signal), sink, (saved) => {
        total = saved;
        setCount(saved);
      });
      say(`${total.toLocaleString()} events were exported`);
    } catch (error) {
      if (!wasStopped(error)) onError(error);
    } finally {
      setCount(null);
    }
  };

  if (count === null) {
    return (
      <Button className="button" onPress={() => void run()}>
        Export
      </Button>
    );
  }
  return (
    <>
      <span className="meta" role="status">
        {count.toLocaleString()} events
      </span>
      <Button className="button" onPress={() => stop.current?.abort()}>
        Stop the export
      </Button>
    </>
  );
}
