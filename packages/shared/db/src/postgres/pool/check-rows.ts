import { Bug } from '@berth/contracts/errors';
import type { RowSchema } from '../../database.ts';

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** A row does not have the shape that its query declares: the column has changed, or the query is wrong. */
class UnexpectedRow extends Error {
  constructor(issues: readonly Issue[]) {
    // Only paths and rules, because values must not be logged.
    super(issues.map((issue) => `column ${pathOf(issue)}: ${issue.message}`).join('; '));
    this.name = 'UnexpectedRow';
  }
}

const pathOf = ({ path = [] }: Issue): string =>
  path.map((part) => (typeof part === 'object' && part !== null && 'key' in part ? part.key : part)).join('.') ||
  '(row)';

/** The rows, parsed by the schema of their query; throws if one does not match. */
export function checkRows<Row>(schema: RowSchema<Row>, rows: readonly unknown[]): Row[] {
  return rows.map((row) => {
    const result = schema['~standard'].validate(row);
    if (result instanceof Promise) throw new Bug('Schemas of rows must be synchronous');
    if (result.issues !== undefined) throw new UnexpectedRow(result.issues);
    return result.value;
  });
}
