import { type Operation, hasPathId } from '@berth/contracts/definition/contract';
import { errorCodes } from '@berth/contracts/errors';
import { isJsonObject, type JsonObject } from '@berth/contracts/fields/json';
import { schemaNames } from '@berth/contracts/openapi/schema-names';
import { schemaWriter } from '@berth/contracts/openapi/schema-writer';
import { contracts, resources } from '@berth/contracts/resources/index';
import { typeOfSchema } from './type-of-schema.ts';

/**
 * `api/client.ts` of the published client. The workspace infers its types from the contracts; here they are written out, so that they
 * need no zod and editors show them in full.
 */
export function apiTypes(): string {
  const writer = schemaWriter(schemaNames(resources));
  const groups = Object.entries(contracts).flatMap(([name, { operations }]) => {
    const methods = Object.entries<Operation>(operations)
      .filter(([, { http }]) => http !== undefined)
      .map(([method, operation]) => methodOf(method, operation, writer));
    return methods.length > 0 ? [`  readonly ${name}: {\n${methods.join('')}  };\n`] : [];
  });
  return [
    "import type { Answer } from '../http/answer.ts';\nimport type { CallOptions } from '../http/send.ts';\nimport type { TextStream } from '../http/text-stream.ts';\n",
    shared,
    ...Object.entries(writer.components()).map(([name, schema]) => `export type ${name} = ${typeOfSchema(schema)};`),
    `/** Every public operation as a method: \`client.deployments.create({ body })\`. */\nexport interface Client {\n${groups.join('')}}\n`,
  ].join('\n');
}

/** Its file `http/errors.ts`. */
export const errorTypes = (): string => `export type ErrorCode = ${Object.keys(errorCodes)
  .map((code) => `'${code}'`)
  .join(' | ')};
/** Which field is wrong and which rule it breaks; \`path\` is dotted, such as \`body.config.replicas\`. */
export interface FieldError {
  path: string;
  message: string;
}
`;

const shared = `
/** The envelope of every list. \`next\` is present only with \`after\`; null at the end. */
export interface Page<T> {
  page: number;
  per_page: number;
  items: T[];
  num_total: number;
  next?: string | null | undefined;
}
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };
`;

type Writer = ReturnType<typeof schemaWriter>;

function methodOf(name: string, operation: Operation, writer: Writer): string {
  const { summary, query, body, bodyOptional } = operation;
  const parts = [
    ...(hasPathId(operation) ? ['id: string'] : []),
    ...(query ? [`query?: ${typeOfSchema(writer.input(query), '    ')}`] : []),
    ...(body ? [`body${bodyOptional ? '?' : ''}: ${typeOfSchema(writer.input(body), '    ')}`] : []),
  ];
  const isOptional = parts.every((part) => /^\w+\?/.test(part));
  const request = parts.length === 0 ? 'Record<never, never>' : `{ ${parts.join('; ')} }`;
  return `    /** ${summary}. */\n    readonly ${name}: (request${isOptional ? '?' : ''}: ${request}, options?: CallOptions) => Promise<Answer<${answerOf(operation, writer)}>>;\n`;
}

function answerOf({ produces, response }: Operation, writer: Writer): string {
  if (produces !== undefined) return 'TextStream';
  const schema = writer.output(response);
  return pageOf(schema) ?? typeOfSchema(schema, '    ');
}

/** Lists share one envelope. */
function pageOf({ properties }: JsonObject): string | null {
  if (!isJsonObject(properties) || !['num_total', 'next', 'per_page'].every((name) => name in properties)) return null;
  const { items } = properties;
  return isJsonObject(items) ? `Page<${typeOfSchema(items.items, '    ')}>` : null;
}
