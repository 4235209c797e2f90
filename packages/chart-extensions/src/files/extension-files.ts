import type { z } from 'zod';
import { ActionsFile, OlderActions } from './actions.ts';
import { featuresFileSchema, OlderFeatures } from './features.ts';
import { hasHeader } from '../header.ts';
import { ResourceTypesFile } from './resource-types.ts';
import { OwnValuesUiFile, ValuesUi, ValuesUiFile } from '../form/values-ui.ts';

export type ExtensionName = 'values_ui' | 'actions_schema' | 'features' | 'resource_types';

const inFolder: Record<string, ExtensionName> = {
  'values-ui.yaml': 'values_ui',
  'actions.yaml': 'actions_schema',
  'features.yaml': 'features',
  'resources.yaml': 'resource_types',
};

export interface Layout {
  folder: string;
  /** Unknown members and files without a header are errors. */
  strict: boolean;
  files: Record<string, ExtensionName>;
}

/**
 * Berth's folder, then both folders of the upstream project, whose charts work here unchanged. The first existing one is read.
 */
export const layouts: readonly Layout[] = [
  { folder: 'berth/', strict: true, files: inFolder },
  { folder: 'platz/', strict: false, files: inFolder },
  {
    folder: '',
    strict: false,
    files: { 'values.ui.json': 'values_ui', 'actions.schema.json': 'actions_schema', 'features.json': 'features' },
  },
];

/** Whether `readExtensions` reads the file with this path in the chart. */
export const isExtensionPath = (path: string): boolean =>
  layouts.some(
    ({ folder, strict, files }) =>
      path.startsWith(folder) && (strict || Object.hasOwn(files, path.slice(folder.length))),
  );

interface Claim {
  document: unknown;
  /** Whether the file has Berth's own layout. */
  strict: boolean;
  /** Whether `apiVersion` and `kind` are missing, where that is allowed. */
  headerless: boolean;
}

const schemas: Record<ExtensionName, (claim: Claim) => z.ZodType> = {
  values_ui: ({ headerless, strict }) => (headerless ? ValuesUi : strict ? OwnValuesUiFile : ValuesUiFile),
  features: ({ document, headerless }) => (headerless ? OlderFeatures : featuresFileSchema(document)),
  actions_schema: ({ document, headerless }) => (headerless && !Array.isArray(document) ? OlderActions : ActionsFile),
  resource_types: () => ResourceTypesFile,
};

/** The form that a document declares. Its errors refer to that form; nothing is guessed. */
export const schemaOf = (extension: ExtensionName, document: unknown, { strict }: Layout): z.ZodType =>
  schemas[extension]({ document, strict, headerless: !strict && !hasHeader(document) });
