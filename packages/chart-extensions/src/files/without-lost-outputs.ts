import { isJsonObject } from '@berth/contracts/fields/json';

/**
 * Leaves out the outputs that name no input of their form, in forms at any depth. Charts of the upstream project may have some, which
 * write nothing there. In a chart written for Berth they are errors.
 */
export function withoutLostOutputs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutLostOutputs);
  if (!isJsonObject(node)) return node;
  const { inputs, outputs } = node;
  const isForm = Array.isArray(inputs) && isJsonObject(outputs);
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    isForm && key === 'outputs' ? kept(outputs, namesOf(inputs)) : withoutLostOutputs(value),
  ]);
  return Object.fromEntries(entries);
}

const namesOf = (inputs: readonly unknown[]): Set<unknown> =>
  new Set(inputs.flatMap((input) => (isJsonObject(input) ? [input['id']] : [])));

function kept(outputs: Readonly<Record<string, unknown>>, names: ReadonlySet<unknown>) {
  const { values, secrets, ...others } = outputs;
  return {
    ...others,
    ...(values !== undefined && {
      values: Array.isArray(values)
        ? values.filter((one) => !isJsonObject(one) || isFound(one['value'], names))
        : values,
    }),
    ...(secrets !== undefined && { secrets: isJsonObject(secrets) ? keptSecrets(secrets, names) : secrets }),
  };
}

const keptSecrets = (secrets: Readonly<Record<string, unknown>>, names: ReadonlySet<unknown>) =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, keys]) => [
      name,
      isJsonObject(keys) ? Object.fromEntries(Object.entries(keys).filter(([, ref]) => isFound(ref, names))) : keys,
    ]),
  );

/** Anything that is not a reference stays, for the schema to refuse. */
function isFound(ref: unknown, names: ReadonlySet<unknown>): boolean {
  const [to] = isJsonObject(ref) ? Object.values(ref) : [];
  const input = isJsonObject(to) ? to['input'] : undefined;
  return typeof input !== 'string' || names.has(input);
}
