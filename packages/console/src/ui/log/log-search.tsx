import { useEffect, useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { Icon } from '../icons.tsx';

interface LogSearchProps {
  text: string;
  onText: (text: string) => void;
  /** The numbers of the lines that contain the text, in order. */
  matches: readonly number[];
  chosen: number | null;
  onChoose: (number: number) => void;
}

/** `Enter` leads to the next line, `Shift Enter` to the one before. */
export function LogSearch({ text, onText, matches, chosen, onChoose }: LogSearchProps) {
  const indexOf = (number: number | null) => (number === null ? -1 : matches.indexOf(number));
  const at = indexOf(chosen);
  // The address follows a moment later, but keys may be pressed faster.
  const last = useRef(chosen);
  useEffect(() => {
    last.current = chosen;
  }, [chosen]);
  const go = (by: 1 | -1) => {
    const at = indexOf(last.current);
    const next = at === -1 ? (by === 1 ? 0 : matches.length - 1) : (at + by + matches.length) % matches.length;
    const number = matches[next];
    if (number === undefined) return;
    last.current = number;
    onChoose(number);
  };
  return (
    <div className="log-search">
      <SearchField
        aria-label="Search in the log"
        className="log-search-field"
        value={text}
        onChange={onText}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
        }}
      >
        <Icon name="search" />
        <Input placeholder="Search in the log" />
      </SearchField>
      {text !== '' && (
        <>
          <span className="meta" role="status">
            {matches.length === 0
              ? 'No line'
              : `${at === -1 ? '' : `${(at + 1).toLocaleString()} of `}${matches.length.toLocaleString()} ${matches.length === 1 ? 'line' : 'lines'}`}
          </span>
          <Button
            className="button bare small"
            aria-label="Line before"
            isDisabled={matches.length === 0}
            onPress={() => go(-1)}
          >
            <Icon name="up" />
          </Button>
          <Button
            className="button bare small"
            aria-label="Next line"
            isDisabled={matches.length === 0}
            onPress={() => go(1)}
          >
            <Icon name="down" />
          </Button>
        </>
      )}
    </div>
  );
}
