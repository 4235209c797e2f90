import { RegistryError } from '../../connection/registry-error.ts';
import { isChartName, isVersion } from './names.ts';

/** A version of a chart in an index. */
export interface IndexEntry {
  /** Null if the index does not say it. */
  digest: string | null;
  /** Where its package is. */
  url: string;
}

/** The versions of each chart of a repository. */
export type ChartIndex = ReadonlyMap<string, ReadonlyMap<string, IndexEntry>>;

/** An entry as the index has it. */
interface RawEntry {
  version?: string | undefined;
  digest?: string | undefined;
  urls?: readonly string[] | undefined;
}

export interface IndexBuilder {
  readonly index: ChartIndex;
  /** Entries that lack a version or a URL, or have a name, version or digest that breaks its rule. */
  readonly skipped: number;
  addChart(chart: string): void;
  add(chart: string, entry: RawEntry): void;
}

export interface Kept {
  /** The address of the repository, to which URLs are relative. */
  base: URL;
  /** The charts that are wanted; all unless given. */
  only?: readonly string[] | undefined;
}

/** What a round may keep of an index: several are in memory at once, and a URL is up to three times as long as in the index. */
const mostKept = 64 * 1024 * 1024;
/** The same for one chart, so that a repository of which one is wanted takes no more. */
const mostKeptOfChart = 8 * 1024 * 1024;
/** Beside its texts. */
const entryBytes = 128;

/** Gathers the entries of an index. */
export function buildIndex({ base, only }: Kept): IndexBuilder {
  const index = new Map<string, Map<string, IndexEntry>>();
  const bytesOf = new Map<string, number>();
  const wanted = only && new Set(only);
  let bytes = 0;
  let skipped = 0;

  function count(chart: string, more: number): void {
    const ofChart = (bytesOf.get(chart) ?? 0) + more;
    bytesOf.set(chart, ofChart);
    bytes += more;
    if (bytes > mostKept) throw tooLarge(`${mostKept} bytes of versions and URLs`);
    if (ofChart > mostKeptOfChart) throw tooLarge(`${mostKeptOfChart} bytes of versions and URLs for a chart`);
  }

  return {
    index,
    get skipped() {
      return skipped;
    },
    addChart(chart) {
      if (wanted && !wanted.has(chart)) return;
      if (!isChartName(chart) || index.has(chart)) return;
      index.set(chart, new Map());
      count(chart, entryBytes + chart.length);
    },
    add(chart, { version, digest, urls = [] }) {
      if (wanted && !wanted.has(chart)) return;
      const url = firstUsable(urls, base);
      const checked = digestIn(digest);
      const versions = index.get(chart);
      if (!versions || version === undefined || !isVersion(version) || url === undefined || checked === undefined) {
        skipped += 1;
      } else if (!versions.has(version)) {
        // As Helm, which takes the first of several equal versions.
        versions.set(version, { digest: checked, url });
        count(chart, entryBytes + version.length + url.length);
      }
    },
  };
}

const tooLarge = (what: string): RegistryError =>
  new RegistryError('malformed', `the index.yaml has more than ${what}`);

/** An index writes a digest without its algorithm; undefined if the text is not a digest. */
function digestIn(text: string | undefined): string | null | undefined {
  if (text === undefined || text === '') return null;
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1];
  return hex === undefined ? undefined : `sha256:${hex.toLowerCase()}`;
}

const longestUrl = 2000;
/** Of one version: each costs a parse. */
const mostUrls = 16;

/** The first URL that can be fetched; if none can, the first of all. */
function firstUsable(urls: readonly string[], base: URL): string | undefined {
  const absolute = urls.slice(0, mostUrls).flatMap((text) => {
    if (text.length > longestUrl || !URL.canParse(text, base.href)) return [];
    const url = new URL(text, base);
    // As Helm does: a token in the query of the repository's address is needed for its packages, too. It goes to no other host,
    // which an address without a scheme, `//host/path`, may name.
    if (url.search === '' && url.origin === base.origin && !URL.canParse(text)) url.search = base.search;
    return [url];
  });
  const [first] = absolute;
  return (absolute.find(({ protocol }) => protocol === 'https:' || protocol === 'http:') ?? first)?.href;
}
