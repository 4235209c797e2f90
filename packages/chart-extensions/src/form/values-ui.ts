import { z } from 'zod';
import { propertiesIn } from './collection.ts';
import { header } from '../header.ts';
import { Input, typeOfItems } from './input.ts';
import { type InputRef, inputOf, Outputs } from './outputs.ts';
import { maxNodesOfForm, nodesIn } from './show-rule.ts';

const shape = {
  inputs: z.array(Input).max(500),
  outputs: Outputs.prefault({}),
};

interface Form {
  inputs: Input[];
  outputs: Outputs;
}

/** Checks across fields: outputs must name existing inputs and properties of these. */
function checkForm({ inputs, outputs }: Form, context: z.RefinementCtx<Form>): void {
  const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  // Charts of the upstream project may have several inputs with the same id; it is enough that one has the property.
  const byId = Map.groupBy(inputs, ({ id }) => id);

  const nodes = inputs.reduce((sum, { showIf }) => sum + (showIf === undefined ? 0 : nodesIn(showIf)), 0);
  if (nodes > maxNodesOfForm) {
    refuse(['inputs'], `must not have more than ${maxNodesOfForm} operators and values in all showIf rules together`);
  }
  const checkRef = (ref: InputRef, path: PropertyKey[]) => {
    const id = inputOf(ref);
    const named = byId.get(id);
    if (!named) return refuse(path, `there is no input ${id}`);
    if (!('FieldProperty' in ref)) return;
    const input = named.find((candidate) => typeOfItems(candidate) === 'CollectionSelect');
    if (input?.collection === undefined) {
      return refuse(path, `${id} is not a CollectionSelect, so it has no properties`);
    }
    const known = propertiesIn(input.collection);
    if (known === null || known.properties.includes(ref.FieldProperty.property)) return;
    const rule = known.properties.length > 0 ? `must be one of ${known.properties.join(', ')}` : 'cannot be read';
    refuse([...path, 'FieldProperty', 'property'], `${rule}, as ${input.id} selects from ${known.table}`);
  };
  for (const [index, { value }] of outputs.values.entries()) checkRef(value, ['outputs', 'values', index, 'value']);
  for (const [name, keys] of Object.entries(outputs.secrets)) {
    for (const [key, ref] of Object.entries(keys)) checkRef(ref, ['outputs', 'secrets', name, key]);
  }
}

/** A chart's form with its inputs and outputs: the stored form of `values_ui`. */
export const ValuesUi = z.strictObject(shape).superRefine(checkForm);
export type ValuesUi = z.infer<typeof ValuesUi>;

const file = z.strictObject({ ...header('ValuesUi', ['v1beta1']), ...shape }).superRefine(checkForm);
const withoutHeader = ({ inputs, outputs }: Form): ValuesUi => ({ inputs, outputs });

/** The form of `values-ui.yaml`. */
export const ValuesUiFile = file.transform(withoutHeader);

/** Templates can put values anywhere, but contents of secrets belong only in Kubernetes Secrets. */
function keepContentsOut({ inputs, outputs }: Form, context: z.RefinementCtx<Form>): void {
  const ofSecrets = new Set(inputs.filter(({ collection }) => collection === 'secrets').map(({ id }) => id));
  for (const [index, { value }] of outputs.values.entries()) {
    if (!('FieldProperty' in value) || value.FieldProperty.property !== 'contents') continue;
    if (!ofSecrets.has(value.FieldProperty.input)) continue;
    const path = ['outputs', 'values', index, 'value', 'FieldProperty', 'property'];
    context.addIssue({ code: 'custom', path, message: 'contents of a secret may go to outputs.secrets only' });
  }
}

/** The form of a chart written for Berth. Only charts of the upstream project may put contents of secrets into values. */
export const OwnValuesUiFile = file.superRefine(keepContentsOut).transform(withoutHeader);
