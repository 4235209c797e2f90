import { readExtensions } from '@berth/chart-extensions/files/read-extensions';
import { fieldErrors } from '@berth/contracts/fields/field-errors';
import { parseAllDocuments } from 'yaml';
import { type ChartMetadata, ChartYamlMetadata } from './chart-metadata.ts';
import { brokenChart, type ParsedChart } from './parsed-chart.ts';

const chartYaml = 'Chart.yaml';
// A page of charts, and the published state of one, must each fit into one message of the bus.
const maxExtensionBytes = 128 * 1024;

/** Parses the files of a chart, given by path. Hostile charts take minutes: call it through `chart-parser.ts`. */
export function parseChart(files: ReadonlyMap<string, string>): ParsedChart {
  const read = readMetadata(files.get(chartYaml));
  if ('errors' in read) return brokenChart(read.errors.map((error) => `${chartYaml}: ${error}`).join('; '));

  const { metadata } = read;
  const { error, ...extensions } = readExtensions(withoutChartYaml(files));
  if (error !== null) return brokenChart(error, metadata);
  if (Buffer.byteLength(JSON.stringify(extensions)) > maxExtensionBytes) {
    return brokenChart(
      `the extension files of the chart are larger than ${maxExtensionBytes} bytes in total`,
      metadata,
    );
  }
  return { metadata, ...extensions, error: null };
}

function readMetadata(text: string | undefined): { metadata: ChartMetadata } | { errors: string[] } {
  if (text === undefined) return { errors: ['is missing'] };
  let document: unknown;
  try {
    document = firstDocument(text);
  } catch (error) {
    return { errors: [`is not valid YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`] };
  }
  const { data, error } = ChartYamlMetadata.safeParse(document);
  if (data) return { metadata: data };
  return { errors: fieldErrors(error).map(({ path, message }) => inWords(path, message)) };
}

/** As lenient as Helm: only the first document is read, and the last of several equal keys wins. */
function firstDocument(text: string): unknown {
  const [first] = parseAllDocuments(text, { uniqueKeys: false, merge: true, logLevel: 'error' });
  if (!first || !('toJS' in first)) return null;
  const [error] = first.errors;
  if (error) throw error;
  return first.toJS({ maxAliasCount: 50 });
}

const inWords = (path: string, rule: string): string => (path ? `${path}: ${rule}` : rule);

const withoutChartYaml = (files: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...files].filter(([path]) => path !== chartYaml));
