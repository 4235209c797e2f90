import { startOf } from '@berth/contracts/cut-text';

/** A line of a log that was read with timestamps. */
export interface LogLine {
  /** As the container runtime wrote it; null for a message of the kubelet itself. */
  readonly at: string | null;
  readonly text: string;
}

/** Longer lines are cut, since a container may write a gigabyte without a line end. */
const maxCharacters = 64 * 1024;

/** Splits a log into lines. Holds at most one cut line in memory. */
export function createLogSplitter() {
  const decoder = new TextDecoder();
  let rest = '';
  let isCut = false;

  function append(text: string): void {
    if (rest.length >= maxCharacters) isCut ||= text.length > 0;
    else {
      rest += text;
      isCut = rest.length > maxCharacters;
      if (isCut) rest = startOf(rest, maxCharacters);
    }
  }

  function takeLine(): LogLine {
    const line = lineOf(isCut ? `${rest}…` : rest);
    rest = '';
    isCut = false;
    return line;
  }

  return {
    /** The lines that this chunk completes. */
    *split(chunk: Uint8Array): Generator<LogLine> {
      const [end = '', ...starts] = decoder.decode(chunk, { stream: true }).split('\n');
      append(end);
      for (const start of starts) {
        yield takeLine();
        append(start);
      }
    },

    /** The text after the last line end; undefined if there is none. */
    rest: (): LogLine | undefined => (rest === '' ? undefined : takeLine()),
  };
}

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) ?/;

function lineOf(text: string): LogLine {
  const [prefix = '', at] = stamped.exec(text) ?? [];
  if (at === undefined || Number.isNaN(Date.parse(at))) return { at: null, text };
  return { at, text: text.slice(prefix.length).replace(/\r$/, '') };
}
