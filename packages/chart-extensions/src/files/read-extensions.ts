import { brokenRules } from '@berth/contracts/fields/field-errors';
import { type JsonObject, jsonProblem } from '@berth/contracts/fields/json';
import { type ChartDefect, defectOf, defectsOf } from './chart-defect.ts';
import { type ExtensionName, type Layout, layouts, schemaOf } from './extension-files.ts';
import { parseIgnoringUnknown } from './parse-ignoring-unknown.ts';
import { lineOfError, parseYaml } from './parse-yaml.ts';
import { repeatedInputs } from './repeated-inputs.ts';
import { withoutLostOutputs } from './without-lost-outputs.ts';

/** The extensions of a chart in the stored form, whatever the version of its files. */
export interface ChartExtensions extends Record<ExtensionName, JsonObject | null> {
  /** At most ten. */
  defects: ChartDefect[];
}

const maxDefects = 10;

/** Reads the extensions of a chart from its files, given as texts by path (see `isExtensionPath`). */
export function readExtensions(files: ReadonlyMap<string, string>): ChartExtensions {
  const extensions: Record<ExtensionName, JsonObject | null> = {
    values_ui: null,
    actions_schema: null,
    features: null,
    resource_types: null,
  };
  const layout = layouts.find(({ folder }) => [...files.keys()].some((path) => path.startsWith(folder)));
  if (!layout) return { ...extensions, defects: [] };

  const defects = strangers(files, layout);
  for (const [name, extension] of Object.entries(layout.files)) {
    const file = layout.folder + name;
    const text = files.get(file);
    if (text === undefined) continue;
    const read = readFile({ file, text }, extension, layout);
    if (Array.isArray(read)) defects.push(...read);
    else extensions[extension] = read.value;
  }
  return { ...extensions, defects: defects.slice(0, maxDefects) };
}

interface ChartFile {
  file: string;
  text: string;
}

/** The stored form of a file, or its defects. */
function readFile(
  { file, text }: ChartFile,
  extension: ExtensionName,
  layout: Layout,
): { value: JsonObject } | ChartDefect[] {
  // Every older file is JSON, which is valid YAML.
  const yaml = parseYaml(text);
  const [first, ...others] = yaml?.documents ?? [];
  if (!yaml || !first) return [defectOf(file, 'is empty')];
  let document: unknown;
  try {
    const [error] = first.errors;
    if (error) throw error;
    if (others.length > 0) {
      return [
        defectOf(file, `has ${others.length + 1} documents; only one is allowed`, yaml.lineOf(others[0] ?? first, [])),
      ];
    }
    document = first.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    return [defectOf(file, `is not valid YAML: ${firstLine(cause)}`, lineOfError(cause))];
  }
  if (document === null) return [defectOf(file, 'is empty')];
  const broken = (rules: Parameters<typeof defectsOf>[1]) =>
    defectsOf(file, rules, (parts) => yaml.lineOf(first, parts));
  const problem = jsonProblem(document);
  if (problem) return broken([{ parts: problem.path, message: problem.rule }]);

  if (!layout.strict) document = withoutLostOutputs(document);
  const schema = schemaOf(extension, document, layout);
  const result = layout.strict ? schema.safeParse(document) : parseIgnoringUnknown(schema, document);
  const repeated = result.success && layout.strict ? repeatedInputs(extension, document) : [];
  if (repeated.length > 0) return broken(repeated);
  if (result.success) return { value: JSON.parse(JSON.stringify(result.data)) };
  return broken(brokenRules(result.error));
}

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split(/:?\n/, 1)[0] ?? '';

/** Otherwise a misspelt file in Berth's folder would silently have no effect. */
function strangers(files: ReadonlyMap<string, string>, { folder, strict, files: known }: Layout): ChartDefect[] {
  if (!strict) return [];
  return [...files.keys()]
    .filter(
      (path) =>
        path.startsWith(folder) && /\.(?:ya?ml|json)$/.test(path) && !Object.hasOwn(known, path.slice(folder.length)),
    )
    .map((path) => defectOf(path, `is none of ${Object.keys(known).join(', ')}`));
}
