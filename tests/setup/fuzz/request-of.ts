import { isJsonObject, type JsonValue } from '@berth/contracts/fields/json';
import * as fc from 'fast-check';
import { idOf, type Vocabulary, valueOf, wrongValue } from './value-of.ts';

export interface FuzzedRequest {
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

interface DocumentedParameter {
  name: string;
  in: string;
  schema: JsonValue;
}

/** One method of an operation in the document. */
export interface Documented {
  path: string;
  method: string;
  parameters: readonly DocumentedParameter[];
  body: JsonValue | undefined;
}

const headerText = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);

/** Requests for an operation: most fit its schemas, and the others are invalid in one part. */
export function requestOf(
  { path, method, parameters, body }: Documented,
  words: Vocabulary,
): fc.Arbitrary<FuzzedRequest> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const inHeader = parameters.filter((parameter) => parameter.in === 'header');
  return fc
    .record({
      id: mostly(idOf(words, path), fc.string({ minLength: 1, maxLength: 60 })),
      query: queryOf(inQuery, words),
      headers: headersOf(inHeader.map(({ name }) => name.toLowerCase())),
      body: body === undefined ? fc.constant(undefined) : bodyOf(body, words),
      mediaType: mostly(fc.constant('application/json'), fc.constantFrom('text/plain', 'application/xml', 'x')),
    })
    .map(({ id, query, headers, body: text, mediaType }) => ({
      path: path.replace('{id}', encodeURIComponent(id)) + query,
      headers: { ...headers, ...(text !== undefined && { 'content-type': mediaType }) },
      body: method === 'get' || method === 'head' ? undefined : text,
    }));
}

const mostly = <T>(usual: fc.Arbitrary<T>, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: otherwise });

function queryOf(parameters: readonly DocumentedParameter[], words: Vocabulary): fc.Arbitrary<string> {
  const fitting = parameters.map(({ name, schema }) => [name, valueOf(schema, words, name)] as const);
  const some = fc.record(Object.fromEntries(fitting), { requiredKeys: [], noNullPrototype: true });
  const few = fc.tuple(some, fc.nat(2)).map(([given, most]) => Object.entries(given).slice(0, most));
  const wrong = fc
    .tuple(fc.constantFrom('surprise', '__proto__', ...fitting.map(([name]) => name)), wrongValue)
    .map((pair) => [pair]);
  return mostly<[string, JsonValue][]>(few as fc.Arbitrary<[string, JsonValue][]>, wrong as never).map((pairs) =>
    pairs.length === 0
      ? ''
      : `?${new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, wellFormed(value)])).toString()}`,
  );
}

const wellFormed = (value: JsonValue): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 2_000).toWellFormed();

function headersOf(names: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const given = Object.fromEntries(names.map((name) => [name, mostly(headerText, fc.constant('*'))]));
  return fc.record(
    { ...given, 'x-request-id': headerText },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<Record<string, string>>;
}

/** Bodies as text: valid ones, ones with one invalid field, and text that is not JSON. */
function bodyOf(schema: JsonValue, words: Vocabulary): fc.Arbitrary<string> {
  const fitting = valueOf(schema, words);
  const oneWrong = fc
    .tuple(fitting, fc.nat(30), wrongValue, fc.constantFrom('surprise', '__proto__', 'constructor'))
    .map(([value, index, wrong, stranger]): string => {
      if (!isJsonObject(value)) return JSON.stringify(wrong);
      const names = [...Object.keys(value), stranger];
      const name = names[index % names.length] ?? stranger;
      // As text, because in a JavaScript object `__proto__` would set the prototype.
      const rest = Object.entries(value).filter(([other]) => other !== name);
      const fields = [...rest, [name, wrong] as const];
      return `{${fields.map(([field, own]) => `${JSON.stringify(field)}:${JSON.stringify(own)}`).join(',')}}`;
    });
  return fc.oneof(
    { weight: 5, arbitrary: fitting.map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: oneWrong },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"a":1,"a":2}', `${'['.repeat(100)}${']'.repeat(100)}`),
    },
  );
}
