import { readFile } from 'node:fs/promises';
import type { JsonObject, JsonValue } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The present inputs, overlaid by files of YAML or JSON and then by `--set name=value`; later ones win. */
export async function configInputs(
  present: JsonObject,
  { files, sets }: { files: readonly string[]; sets: readonly string[] },
): Promise<JsonObject> {
  let inputs = present;
  for (const file of files) inputs = { ...inputs, ...(await readInputs(file)) };
  return sets.reduce(withInput, inputs);
}

async function readInputs(file: string): Promise<JsonObject> {
  const { parse } = await import('yaml');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliFailure('usage', `${file} cannot be read`, { cause });
  });
  try {
    const content: unknown = parse(text) ?? {};
    if (isObject(content)) return content;
  } catch (cause) {
    throw new CliFailure('usage', `${file} is not YAML: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
  throw new CliFailure('usage', `${file} holds no object of inputs`);
}

/** A form is flat, so a name is one key, even with dots. A value that is not JSON is text. */
export function withInput(inputs: JsonObject, text: string): JsonObject {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new CliFailure('usage', `an input is name=value, not ${text}`);
  if (name === '__proto__' || name === 'constructor') throw new CliFailure('usage', `no input is named ${name}`);
  return { ...inputs, [name]: readValue(value) };
}

function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
