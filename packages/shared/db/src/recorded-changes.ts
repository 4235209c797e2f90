import type { Recorded } from '@berth/contracts/definition/recorded';

/** A changed row as its followers receive it. */
export interface OutboxRow {
  readonly resource: string;
  readonly id: string;
  readonly env_id: string | null;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly row: Record<string, unknown>;
  readonly traceparent: string | null;
}

/** The changes of a transaction so far. */
export class RecordedChanges implements Recorded {
  /** Names of the resources whose changes are published, including those of changes that affected no row. */
  readonly outbox = new Set<string>();
  /** Names of the resources that have an audit entry. */
  readonly audit = new Set<string>();
  readonly #rows = new Map<string, OutboxRow>();

  added(resource: string): string[] {
    const isAdded = (row: OutboxRow) => row.resource === resource && row.operation === 'INSERT';
    return [...this.#rows.values()].filter(isAdded).map(({ id }) => id);
  }

  /** The last state of each row, to be written in the order of their last changes. */
  takeRows(): OutboxRow[] {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    return rows;
  }

  publish(resource: string, rows: readonly OutboxRow[]): void {
    this.outbox.add(resource);
    for (const row of rows) {
      const key = `${resource} ${row.id}`;
      const isNew = row.operation === 'UPDATE' && this.#rows.get(key)?.operation === 'INSERT';
      this.#rows.delete(key);
      this.#rows.set(key, isNew ? { ...row, operation: 'INSERT' } : row);
    }
  }

  /** Adds the changes of a savepoint. */
  add(inner: RecordedChanges): void {
    for (const name of inner.outbox) this.outbox.add(name);
    for (const name of inner.audit) this.audit.add(name);
    for (const row of inner.takeRows()) this.publish(row.resource, [row]);
  }
}
