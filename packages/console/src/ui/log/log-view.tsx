import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { Icon } from '../icons.tsx';
import { Empty, LoadingRows, Problem } from '../reading/problem.tsx';
import { type KeptLines, matchingLines, partsOf } from './kept-lines.ts';
import { LogSearch } from './log-search.tsx';
import { type ReadLines, useLines } from './use-lines.ts';
import './log.css';

interface LogViewProps {
  label: string;
  /** Identifies the log. When it changes, the other log is read from its beginning. */
  of: string;
  read: ReadLines;
  /** The colour of a line that stands out. */
  toneOf?: (line: string) => 'bad' | 'ok' | 'muted' | null;
  /** The file that the lines are saved to. */
  fileName: string;
  /** Beside the search: which log it is. */
  choices?: ReactNode;
  /** Shown if the log has no lines. */
  empty?: string;
}

const lineHeight = 18;

const lineOf = (search: object): number | null => {
  const given = 'line' in search ? Number(search.line) : 0;
  return Number.isSafeInteger(given) && given > 0 ? given : null;
};

/** Links to a line on the same screen. The screen is not known here, so neither is the type of its search. */
const toLine = (number: number) => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  search: ((before: object) => ({ ...before, line: String(number) })) as never,
  replace: true,
  resetScroll: false,
});

/** A log of any length, as it grows. Only the lines in view are drawn. The address names the chosen line. */
export function LogView({ label, of, read, toneOf, fileName, choices, empty }: LogViewProps) {
  const { kept, state, error, readAgain } = useLines(of, read);
  const navigate = useNavigate();
  const line = useSearch({ strict: false, select: lineOf });
  const [isFollowing, setIsFollowing] = useState(line === null);
  const [typed, setTyped] = useState('');
  const text = useDeferredValue(typed);
  const matches = useMemo(() => matchingLines(kept, text), [kept, text]);
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: kept.lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => kept.dropped + index,
    overscan: 20,
    // The lines in view stay where they are while lines are added, and while the first ones are dropped.
    anchorTo: 'end',
    scrollEndThreshold: lineHeight,
  });

  const show = (number: number) => {
    setIsFollowing(false);
    virtual.scrollToIndex(number - kept.dropped - 1, { align: 'center' });
  };
  const count = kept.dropped + kept.lines.length;
  const isLineHere = line !== null && line > kept.dropped && line <= count;
  useEffect(() => {
    if (isLineHere) show(line);
    // Only when the line arrives, or when another one is named.
  }, [line, isLineHere, of]);

  useEffect(() => {
    if (isFollowing) virtual.scrollToEnd();
  }, [virtual, isFollowing, count]);

  const onScroll = () => {
    const { current } = frame;
    if (!current || virtual.scrollDirection === null) return;
    const fromEnd = current.scrollHeight - current.scrollTop - current.clientHeight;
    if (virtual.scrollDirection === 'backward' && fromEnd > lineHeight) setIsFollowing(false);
    else if (fromEnd <= 1 && state === 'reading') setIsFollowing(true);
  };
  const choose = (number: number) => void navigate({ to: '.', ...toLine(number) });
  const gutter = `${String(count).length + 1}ch`;

  return (
    <div className="log">
      <div className="log-tools">
        {choices}
        <LogSearch text={typed} onText={setTyped} matches={matches} chosen={line} onChoose={choose} />
        <span className="meta">{stateWords(kept, state)}</span>
        <Save kept={kept} fileName={fileName} />
        {state === 'reading' && (
          <ToggleButton className="button small" isSelected={isFollowing} onChange={setIsFollowing}>
            <Icon name="down" />
            Follow
          </ToggleButton>
        )}
      </div>
      {state === 'failed' && <Problem error={error} onRetry={readAgain} />}
      {kept.dropped > 0 && (
        <p className="log-dropped meta">
          The first {kept.dropped.toLocaleString()} lines are not kept here. Read all of them with the command line.
        </p>
      )}
      {line !== null && line <= kept.dropped && (
        <p className="log-dropped meta">Line {line.toLocaleString()} is one of them.</p>
      )}
      {kept.lines.length === 0 && state === 'reading' && <LoadingRows rows={4} />}
      {kept.lines.length === 0 && state === 'ended' && <Empty title={empty ?? 'The log has no lines'} />}
      {kept.lines.length > 0 && (
        // A screen reader reads it on demand: many lines a second would drown out everything else.
        <div
          className="log-lines"
          ref={frame}
          role="log"
          aria-live="off"
          aria-label={label}
          tabIndex={0}
          onScroll={onScroll}
        >
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(({ key, index, start }) => {
              const words = kept.lines[index] ?? '';
              const number = kept.dropped + index + 1;
              return (
                <div
                  key={key}
                  data-index={index}
                  ref={virtual.measureElement}
                  className={`log-line ${toneOf?.(words) ?? ''}`}
                  data-chosen={number === line || undefined}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <LineLink number={number} width={gutter} />
                  <span>
                    {partsOf(words, text).map((part, at) =>
                      part.isMatch ? <mark key={at}>{part.text}</mark> : part.text,
                    )}
                  </span>
                </div>
              );
            })}
          </div>
        </div>
      )}
    </div>
  );
}

function stateWords({ lines, dropped }: KeptLines, state: 'reading' | 'ended' | 'failed'): string {
  const count = dropped + lines.length;
  const words = `${count.toLocaleString()} ${count === 1 ? 'line' : 'lines'}`;
  if (state === 'failed') return `${words}, interrupted`;
  return state === 'reading' ? `${words} so far` : words;
}

/** A link to the line. */
function LineLink({ number, width }: { number: number; width: string }) {
  return (
    <Link
      to="."
      {...toLine(number)}
      preload={false}
      className="log-number"
      aria-label={`Line ${number}`}
      // With a tab stop at every line, the keyboard would be of no use. It reaches lines by the search.
      tabIndex={-1}
      style={{ width }}
    >
      {number}
    </Link>
  );
}

function Save({ kept, fileName }: { kept: KeptLines; fileName: string }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([kept.lines.join('\n'), '\n'], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Button className="button bare small" onPress={save} isDisabled={kept.lines.length === 0}>
      Save
    </Button>
  );
}
