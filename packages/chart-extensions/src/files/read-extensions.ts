import { parseAllDocuments } from 'yaml';
import { fieldErrors, pathOf } from '@berth/contracts/fields/field-errors';
import { type JsonObject, jsonProblem } from '@berth/contracts/fields/json';
import { type ExtensionName, type Layout, layouts, schemaOf } from './extension-files.ts';
import { parseIgnoringUnknown } from './parse-ignoring-unknown.ts';
import { withoutLostOutputs } from './without-lost-outputs.ts';
import { repeatedInputs } from './repeated-inputs.ts';

/** The extensions of a chart in the stored form, whatever the version of its files. */
export interface ChartExtensions extends Record<ExtensionName, JsonObject | null> {
  /** Names the file, the path and the rule, such as `berth/values-ui.yaml: inputs[2].type: must be one of …`. */
  error: string | null;
}

const maxErrors = 10;

/** Reads the extensions of a chart from its files, given as texts by path (see `isExtensionPath`). */
export function readExtensions(files: ReadonlyMap<string, string>): ChartExtensions {
  const extensions: Record<ExtensionName, JsonObject | null> = {
    values_ui: null,
    actions_schema: null,
    features: null,
    resource_types: null,
  };
  const layout = layouts.find(({ folder }) => [...files.keys()].some((path) => path.startsWith(folder)));
  if (!layout) return { ...extensions, error: null };

  const errors = strangers(files, layout);
  for (const [name, extension] of Object.entries(layout.files)) {
    const text = files.get(layout.folder + name);
    if (text === undefined) continue;
    const read = readFile(text, extension, layout);
    if ('errors' in read) errors.push(...read.errors.map((error) => `${layout.folder}${name}: ${error}`));
    else extensions[extension] = read.value;
  }
  return { ...extensions, error: errors.length > 0 ? errors.slice(0, maxErrors).join('; ') : null };
}

type Read = { value: JsonObject } | { errors: string[] };

function readFile(text: string, extension: ExtensionName, layout: Layout): Read {
  let document: unknown;
  try {
    // Every older file is JSON, which is valid YAML.
    document = documentIn(text);
  } catch (cause) {
    return { errors: [cause instanceof SeveralDocuments ? cause.message : `is not valid YAML: ${firstLine(cause)}`] };
  }
  if (document === null) return { errors: ['is empty'] };
  const problem = jsonProblem(document);
  if (problem) return { errors: [inWords(pathOf(problem.path), problem.rule)] };

  if (!layout.strict) document = withoutLostOutputs(document);
  const schema = schemaOf(extension, document, layout);
  const result = layout.strict ? schema.safeParse(document) : parseIgnoringUnknown(schema, document);
  const repeated = result.success && layout.strict ? repeatedInputs(extension, document) : [];
  if (repeated.length > 0) return { errors: repeated };
  if (result.success) return { value: JSON.parse(JSON.stringify(result.data)) };
  return { errors: fieldErrors(result.error).map(({ path, message }) => inWords(path, message)) };
}

class SeveralDocuments extends Error {}

/** The only document of a file. */
function documentIn(text: string): unknown {
  const [first, ...others] = parseAllDocuments(text);
  if (!first || !('errors' in first)) return null;
  const [error] = first.errors;
  if (error) throw error;
  if (others.length > 0) throw new SeveralDocuments(`has ${others.length + 1} documents; only one is allowed`);
  return first.toJS({ maxAliasCount: 100 });
}

const inWords = (path: string, rule: string): string => (path ? `${path}: ${rule}` : rule);

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split(/:?\n/, 1)[0] ?? '';

/** Otherwise a misspelt file in Berth's folder would silently have no effect. */
function strangers(files: ReadonlyMap<string, string>, { folder, strict, files: known }: Layout): string[] {
  if (!strict) return [];
  return [...files.keys()]
    .filter(
      (path) =>
        path.startsWith(folder) && /\.(?:ya?ml|json)$/.test(path) && !Object.hasOwn(known, path.slice(folder.length)),
    )
    .map((path) => `${path}: is none of ${Object.keys(known).join(', ')}`);
}
