import { type ChartDefect, defectOf, defectsOf } from '@berth/chart-extensions/files/chart-defect';
import { isExtensionPath } from '@berth/chart-extensions/files/extension-files';
import { lineOfError, parseYaml } from '@berth/chart-extensions/files/parse-yaml';
import { readExtensions } from '@berth/chart-extensions/files/read-extensions';
import { brokenRules } from '@berth/contracts/fields/field-errors';
import { type ChartMetadata, ChartYamlMetadata } from './chart-metadata.ts';
import { type ChartVerdict, refusedChart } from './chart-verdict.ts';

const chartYaml = 'Chart.yaml';
// A page of charts, and the published state of one, must each fit into one message of the bus.
const maxExtensionBytes = 128 * 1024;

/** Whether `parseChart` reads the file with this path in the chart. */
export const isParsed = (path: string): boolean =>
  path === chartYaml || (isExtensionPath(path) && /\.(?:ya?ml|json)$/.test(path));

/** Parses the files of a chart, given by path. Hostile charts take minutes: limit the process that calls it. */
export function parseChart(files: ReadonlyMap<string, string>): ChartVerdict {
  const read = readMetadata(files.get(chartYaml));
  if (Array.isArray(read)) return refusedChart(read);

  const { metadata } = read;
  const { defects, ...extensions } = readExtensions(withoutChartYaml(files));
  if (defects.length > 0) return refusedChart(defects, metadata);
  if (Buffer.byteLength(JSON.stringify(extensions)) > maxExtensionBytes) {
    const rule = `the extension files of the chart are larger than ${maxExtensionBytes} bytes in total`;
    return refusedChart([defectOf(null, rule)], metadata);
  }
  return { metadata, ...extensions, defects: [] };
}

function readMetadata(text: string | undefined): { metadata: ChartMetadata } | ChartDefect[] {
  if (text === undefined) return [defectOf(chartYaml, 'is missing')];
  // As lenient as Helm: only the first document is read, and the last of several equal keys wins.
  const yaml = parseYaml(text, { uniqueKeys: false, merge: true, logLevel: 'error' });
  const [first] = yaml?.documents ?? [];
  let document: unknown = null;
  try {
    const [error] = first?.errors ?? [];
    if (error) throw error;
    document = first?.toJS({ maxAliasCount: 50 }) ?? null;
  } catch (error) {
    const words = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    return [defectOf(chartYaml, `is not valid YAML: ${words}`, lineOfError(error))];
  }
  const { data, error } = ChartYamlMetadata.safeParse(document);
  if (data) return { metadata: data };
  return defectsOf(chartYaml, brokenRules(error), (parts) => (first && yaml ? yaml.lineOf(first, parts) : null));
}

const withoutChartYaml = (files: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...files].filter(([path]) => path !== chartYaml));
