import { schemaWriter } from '@berth/contracts/openapi/schema-writer';
import { SetDocument } from '../../packages/cli/src/sets/documents/set-document.ts';

/** The JSON Schema of a document of a set, for editors: `docs/set.schema.json`, and in the package of the command line. */
export function setSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A document of a set, for berth apply',
    ...schemaWriter(new Map()).input(SetDocument),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
