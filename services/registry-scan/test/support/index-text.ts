/** An entry of an index; `more` are lines of other fields. */
export interface IndexText {
  version: string;
  digest?: string | undefined;
  urls: readonly string[];
  more?: readonly string[];
}

/** An `index.yaml` as Helm writes it. */
export const indexOf = (charts: Readonly<Record<string, readonly IndexText[]>>): string =>
  [
    'apiVersion: v1',
    Object.keys(charts).length === 0 ? 'entries: {}' : 'entries:',
    ...Object.entries(charts).flatMap(([chart, entries]) => [`  ${chart}:`, ...entries.flatMap(entryOf)]),
    'generated: "2026-11-25T19:00:00.000000001Z"',
    '',
  ].join('\n');

const entryOf = ({ version, digest, urls, more = [] }: IndexText): string[] => [
  '  - apiVersion: v2',
  '    created: "2026-11-25T19:00:00.000000001Z"',
  ...more.map((line) => `    ${line}`),
  ...(digest === undefined ? [] : [`    digest: ${digest.replace('sha256:', '')}`]),
  '    urls:',
  ...urls.map((url) => `    - ${url}`),
  `    version: ${version}`,
];
