import { useCallback, useEffect, useState } from 'react';
import { type KeptLines, noLines, shownLine, withLines } from './kept-lines.ts';

/** Reads the lines of a log from its first one, until the log or the signal ends. */
export type ReadLines = (signal: AbortSignal) => AsyncIterable<string>;

interface ReadLog {
  kept: KeptLines;
  state: 'reading' | 'ended' | 'failed';
  error: unknown;
}

const nothingRead: ReadLog = { kept: noLines, state: 'reading', error: null };

/** Lines that arrive within this time are drawn together. */
const gatherMs = 80;

/** The lines of a log as they arrive. `of` identifies the log; when it changes, reading starts over. */
export function useLines(of: string, read: ReadLines): ReadLog & { readAgain: () => void } {
  const [log, setLog] = useState<ReadLog>(nothingRead);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    let arrived: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (state: ReadLog['state'], error: unknown = null) => {
      clearTimeout(timer);
      timer = undefined;
      const more = arrived;
      arrived = [];
      if (!stop.signal.aborted) setLog(({ kept }) => ({ kept: withLines(kept, more), state, error }));
    };
    const follow = async () => {
      for await (const line of read(stop.signal)) {
        arrived.push(shownLine(line));
        timer ??= setTimeout(() => show('reading'), gatherMs);
      }
    };
    setLog(nothingRead);
    follow().then(
      () => show('ended'),
      (error: unknown) => show('failed', error),
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // `read` is left out, since it is a new closure at each render: `of` says whether it is another log.
  }, [of, attempt]);

  const readAgain = useCallback(() => setAttempt((before) => before + 1), []);
  return { ...log, readAgain };
}
