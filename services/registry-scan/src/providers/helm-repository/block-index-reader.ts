import { RegistryError } from '../../connection/registry-error.ts';
import type { IndexBuilder } from './chart-index.ts';
import { textIn, textsIn } from './yaml-value.ts';

/** All texts of one entry that are read. */
const maxEntryBytes = 64 * 1024;
/** Charts and versions together. */
const maxEntries = 200_000;
const space = 0x20;

const wanted = new Set(['version', 'digest', 'urls']);
// Reads each letter once, whatever a line holds: a key ends at the first colon, and what follows it needs no look ahead.
const keyAndValue = /^(?:"([^"\\]{1,300})" *|'([^']{1,300})' *|([^\s"'#&*!|>%@`{}[\],?:-][^:#]{0,300})):(?: +(.*))?$/s;

export interface BlockIndexReader {
  line(text: string): void;
  /** Throws if the lines so far are not a whole index. */
  end(): void;
}

/**
 * Reads an index line by line in YAML's block style, as Helm and all servers of charts write it: a whole document of 50 MB would take
 * gigabytes. In this style an indentation says what a line belongs to, so everything but version, digest and URLs is skipped unread.
 * Anything else is refused, and nothing guessed: a chart that was overlooked would seem to be deleted.
 */
export function createBlockIndexReader(builder: IndexBuilder): BlockIndexReader {
  let section: string | null = null;
  let hasEntries = false;
  let count = 0;
  /** Indentations: of the names of charts, of the dashes before entries, of the keys in entries. */
  let chartAt = -1;
  let dashAt = -1;
  let keyAt = -1;
  let chart: string | null = null;
  let entry: Map<string, string[]> | null = null;
  let value: string[] | null = null;
  let bytes = 0;

  /** A chart without versions takes memory, too. */
  function countOne(): void {
    count += 1;
    if (count > maxEntries) throw refused(`has more than ${maxEntries} charts and versions`);
  }

  function finishEntry(): void {
    if (entry && chart !== null) {
      const [version, digest, urls] = ['version', 'digest', 'urls'].map((key) => entry?.get(key));
      builder.add(chart, {
        version: version && textIn(version),
        // A digest that is not a text must not count as absent.
        digest: digest && (textIn(digest) ?? 'unreadable'),
        urls: urls && textsIn(urls),
      });
      countOne();
    }
    entry = null;
    value = null;
    bytes = 0;
  }

  function topLevel(text: string): void {
    if (text === '---' && section === null) return;
    finishEntry();
    chart = null;
    const [key, inline] = splitKey(text);
    if (key === 'entries') {
      if (hasEntries) throw refused('has two lists of entries');
      if (!isEmpty(inline) && inline !== '{}') throw refused('is not in block style');
      hasEntries = true;
    }
    section = key;
  }

  function chartLine(text: string): void {
    finishEntry();
    dashAt = -1;
    const [key, inline] = splitKey(text);
    if (!isEmpty(inline) && inline !== '[]') throw refused('is not in block style');
    chart = key;
    countOne();
    builder.addChart(key);
  }

  function keep(line: string): void {
    bytes += line.length;
    if (bytes > maxEntryBytes) throw refused(`has an entry of more than ${maxEntryBytes} bytes`);
    value?.push(line);
  }

  function keyLine(text: string): void {
    const [key, inline] = keyAndInline(text) ?? [];
    value = null;
    if (entry === null || key === undefined || !wanted.has(key)) return;
    if (entry.has(key)) throw refused(`has an entry with two fields ${key}`);
    value = [];
    entry.set(key, value);
    keep(inline ?? '');
  }

  function entryLine(line: string, indent: number, text: string): void {
    const isDash = text === '-' || text.startsWith('- ');
    if (isDash && (dashAt < 0 || indent === dashAt)) {
      finishEntry();
      dashAt = indent;
      entry = new Map();
      const inside = text.slice(1).trimStart();
      keyAt = inside === '' ? -1 : indent + text.length - inside.length;
      if (inside !== '') keyLine(inside);
      return;
    }
    if (dashAt < 0 || indent <= dashAt) throw refused('is not indented as a list of entries');
    if (keyAt < 0) keyAt = indent;
    if (indent < keyAt) throw refused('is not indented as a list of entries');
    // A list may be indented as the key that it belongs to.
    if (indent === keyAt && !isDash) keyLine(text);
    else if (value) keep(line);
  }

  return {
    line(line) {
      const indent = indentOf(line);
      const text = line.slice(indent);
      if (text.trim() === '' || text.startsWith('#')) return;
      if (indent === 0) topLevel(text);
      else if (section === 'entries') {
        if (chartAt < 0) chartAt = indent;
        if (indent === chartAt && !/^-(?: |$)/.test(text)) chartLine(text);
        else if (chart === null || indent < chartAt) throw refused('is not indented as a list of charts');
        else entryLine(line, indent, text);
      }
    },
    end() {
      finishEntry();
      if (!hasEntries) throw refused('has no list of entries');
    },
  };
}

const refused = (rule: string): RegistryError => new RegistryError('malformed', `the index.yaml ${rule}`);

const isEmpty = (inline: string): boolean => inline === '' || inline.startsWith('#');

function splitKey(text: string): [key: string, inline: string] {
  const found = keyAndInline(text);
  if (!found) throw refused('is not a YAML document in block style');
  return [found[0], found[1].trim()];
}

function keyAndInline(text: string): [key: string, inline: string] | null {
  const [, double, single, plain, inline = ''] = keyAndValue.exec(text) ?? [];
  const key = double ?? single ?? plain?.trimEnd();
  return key === undefined ? null : [key, inline];
}

function indentOf(line: string): number {
  let indent = 0;
  while (line.charCodeAt(indent) === space) indent += 1;
  return indent;
}
