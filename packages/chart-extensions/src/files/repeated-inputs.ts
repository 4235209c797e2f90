import { z } from 'zod';
import type { BrokenRule } from '@berth/contracts/fields/field-errors';
import type { ExtensionName } from './extension-files.ts';

const Form = z.object({ inputs: z.array(z.object({ id: z.string() })) }).optional();

/** Forms in a file, with their paths. */
const formsIn: Record<ExtensionName, z.ZodType<{ at: PropertyKey[]; form: z.infer<typeof Form> }[]>> = {
  values_ui: Form.transform((form) => [{ at: [], form }]),
  actions_schema: z
    .array(z.object({ spec: z.object({ ui_schema: Form.nullable() }).partial() }))
    .transform((documents) =>
      documents.map(({ spec }, index) => ({ at: [index, 'spec', 'ui_schema'], form: spec.ui_schema ?? undefined })),
    ),
  resource_types: z
    .array(z.object({ spec: z.object({ values_ui: Form }) }))
    .transform((documents) =>
      documents.map(({ spec }, index) => ({ at: [index, 'spec', 'values_ui'], form: spec.values_ui })),
    ),
  features: z.unknown().transform(() => []),
};

/** Repeated ids within one form; only charts of the upstream project may have them. */
export function repeatedInputs(extension: ExtensionName, document: unknown): BrokenRule[] {
  const { data = [] } = formsIn[extension].safeParse(document);
  return data.flatMap(({ at, form }) => {
    const ids = new Set<string>();
    return (form?.inputs ?? []).flatMap(({ id }, index) => {
      if (ids.has(id)) return [{ parts: [...at, 'inputs', index, 'id'], message: `repeats ${id}` }];
      ids.add(id);
      return [];
    });
  });
}
