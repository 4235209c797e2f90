import { lineOfError, parseYaml } from '@berth/chart-extensions/files/parse-yaml';
import { brokenRules, pathOf } from '@berth/contracts/fields/field-errors';
import { CliFailure } from '../../failure/cli-failure.ts';
import { SetDocument } from './set-document.ts';

export interface SetFile {
  /** Relative to the folder of the set. */
  name: string;
  text: string;
}

export interface FoundDocument {
  document: SetDocument;
  file: string;
  line: number | null;
}

const mostDefects = 50;

/** All documents of a set. Refuses defects with file, line, field and rule, all at once. */
export function parseDocuments(files: readonly SetFile[], { allowInline }: { allowInline: boolean }): FoundDocument[] {
  const defects: string[] = [];
  const found = files.flatMap((file) => documentsIn(file, defects));
  if (!allowInline) defects.push(...found.filter(hasInline).map(inlineDefect));
  if (defects.length > 0)
    throw new CliFailure('usage', ['the set is not valid', ...defects.slice(0, mostDefects)].join('\n  '));
  return found;
}

function documentsIn({ name, text }: SetFile, defects: string[]): FoundDocument[] {
  const at = (line: number | null): string => (line === null ? name : `${name}:${line}`);
  const parsed = parseYaml(text);
  if (parsed === null) return [];
  return parsed.documents.flatMap((one) => {
    const [error] = one.errors;
    if (error) {
      defects.push(`${at(lineOfError(error))}: is not YAML: ${error.message.split('\n')[0] ?? ''}`);
      return [];
    }
    if (one.contents === null) return [];
    const read = SetDocument.safeParse(one.toJS({ maxAliasCount: 100 }));
    if (read.success) return { document: read.data, file: name, line: parsed.lineOf(one, []) };
    for (const { parts, message } of brokenRules(read.error)) {
      const path = pathOf(parts);
      defects.push(`${at(parsed.lineOf(one, parts))}: ${path === '' ? '' : `${path}: `}${message}`);
    }
    return [];
  });
}

function hasInline({ document }: FoundDocument): boolean {
  const sources = document.kind === 'Secret' ? [document.contents] : [];
  const ofProps = document.kind === 'Resource' ? Object.values(document.sensitive_props ?? {}) : [];
  return [...sources, ...ofProps].some((source) => 'value' in source);
}

const inlineDefect = ({ file, line }: FoundDocument): string =>
  `${file}:${line ?? 1}: a secret is written out: use {env: VARIABLE} or {file: PATH}, or allow it with --allow-inline`;
