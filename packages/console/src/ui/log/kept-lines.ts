/** The last lines of a log, which may be longer than a browser should keep. */
export interface KeptLines {
  lines: readonly string[];
  /** How many earlier lines were dropped; line `dropped + 1` of the log is the first one here. */
  dropped: number;
  /** UTF-16 units of all lines. */
  units: number;
}

export const noLines: KeptLines = { lines: [], dropped: 0, units: 0 };

export interface MostKept {
  lines: number;
  units: number;
}

const mostKept: MostKept = { lines: 20_000, units: 8_000_000 };
const mostInLine = 8_192;

/** Terminal codes for colours and cursor movements. None contains the start of another, so each character is read once. */
const terminalCodes = new RegExp(
  String.raw`\u001B(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))`,
  'g',
);

/** A line without terminal codes, cut if it is too long. */
export function shownLine(line: string): string {
  const text = line.replaceAll(terminalCodes, '').replace(/\r$/, '');
  return text.length > mostInLine ? `${text.slice(0, mostInLine)}…` : text;
}

/** Adds lines at the end, and drops the first ones if there are too many. */
export function withLines(kept: KeptLines, more: readonly string[], most: MostKept = mostKept): KeptLines {
  if (more.length === 0) return kept;
  const lines = [...kept.lines, ...more];
  let units = more.reduce((sum, line) => sum + line.length, kept.units);
  let drop = 0;
  while (lines.length - drop > most.lines || (units > most.units && lines.length - drop > 1)) {
    units -= lines[drop]?.length ?? 0;
    drop += 1;
  }
  return { lines: drop === 0 ? lines : lines.slice(drop), dropped: kept.dropped + drop, units };
}

export interface Part {
  text: string;
  isMatch: boolean;
}

const withoutCase = (text: string) => text.toLowerCase();

/** The numbers of the lines that contain a text, ignoring case. */
export function matchingLines({ lines, dropped }: KeptLines, text: string): number[] {
  const wanted = withoutCase(text);
  if (wanted === '') return [];
  return lines.flatMap((line, index) => (withoutCase(line).includes(wanted) ? [dropped + index + 1] : []));
}

/** A line split into the parts that match a text and those between them. */
export function partsOf(line: string, text: string): Part[] {
  const [within, wanted] = [withoutCase(line), withoutCase(text)];
  // If lower case changes the length, its positions are not those of the line.
  if (wanted === '' || within.length !== line.length) return [{ text: line, isMatch: false }];
  const parts: Part[] = [];
  let end = 0;
  for (let at = within.indexOf(wanted); at !== -1; at = within.indexOf(wanted, end)) {
    if (at > end) parts.push({ text: line.slice(end, at), isMatch: false });
    end = at + wanted.length;
    parts.push({ text: line.slice(at, end), isMatch: true });
  }
  if (end < line.length) parts.push({ text: line.slice(end), isMatch: false });
  return parts;
}
