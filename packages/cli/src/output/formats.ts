import { CliFailure } from '../failure/cli-failure.ts';
import { isPath } from './select-path.ts';

export type Format =
  | { kind: 'table' | 'wide' | 'json' | 'yaml' | 'name' }
  /** The value at a path of each row. */
  | { kind: 'path'; path: string };

const plain = ['table', 'wide', 'json', 'yaml', 'name'] as const;

function parseFormat(text: string): Format {
  const kind = plain.find((one) => one === text);
  if (kind) return { kind };
  const [, path] = /^jsonpath=\{?([^{}]+)\}?$/.exec(text) ?? [];
  if (path !== undefined && isPath(path)) return { kind: 'path', path };
  if (path !== undefined)
    throw new CliFailure(
      'usage',
      `the path is one of a field, such as jsonpath={.health.state}, which is written for each row; keys with dots are ['in.quotes']`,
    );
  throw new CliFailure('usage', `the output is ${plain.join(', ')} or jsonpath={.path.of.field}, not ${text}`);
}

/** The flag of every command that shows rows. */
export const outputFlag = {
  kind: 'parsed',
  parse: parseFormat,
  brief: 'table, wide, json, yaml, name or jsonpath={.field}',
  optional: true,
} as const;
