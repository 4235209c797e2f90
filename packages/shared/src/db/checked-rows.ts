import type { Interceptor } from 'slonik';

/** A row does not have the shape that its query promises: a column drifted, or the query is wrong. */
export class UnexpectedRow extends Error {
  constructor(issues: readonly { message: string; path?: readonly unknown[] | undefined }[]) {
    // Paths and rules only: the values are not for a log.
    super(
      issues.map(({ path = [], message }) => `column ${path.map(String).join('.') || '(row)'}: ${message}`).join('; '),
    );
    this.name = 'UnexpectedRow';
  }
}

/** Checks each row against the schema of its query, which slonik does not do by itself. */
export const checkedRows: Interceptor = {
  name: 'checked rows',
  transformRow: ({ resultParser }, _query, row) => {
    if (resultParser === undefined) return row;
    const result = resultParser['~standard'].validate(row);
    if (result instanceof Promise) throw new Error('Row schemas are synchronous');
    if (result.issues) {
      throw new UnexpectedRow(
        result.issues.map(({ message, path }) => ({
          message,
          path: path?.map((part) => (typeof part === 'object' ? part.key : part)),
        })),
      );
    }
    return Object(result.value);
  },
};
