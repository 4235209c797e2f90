import { type Answer, type Client, everyItem, type Page, unwrap } from '@berth/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { berth } from './berth.ts';

type Call = (request: never, options: never) => Promise<Answer<unknown>>;
type With<Operation extends string> = {
  [R in keyof Client]: Client[R] extends Record<Operation, Call> ? R : never;
}[keyof Client];
type CallOf<R extends keyof Client, Operation extends string> =
  Client[R] extends Record<Operation, infer C> ? C : never;
type ValueOf<C> = C extends (...given: never[]) => Promise<Answer<infer T>> ? T : never;

export type Listed = With<'list'>;
export type Row<R extends Listed> = ValueOf<CallOf<R, 'list'>> extends Page<infer T> ? T : never;
export type ListQuery<R extends Listed> =
  CallOf<R, 'list'> extends (request?: infer Q, options?: never) => unknown
    ? Q extends { query?: infer Query }
      ? NonNullable<Query>
      : never
    : never;

/** Resources that show rows of another table, and change with its events. */
const tables: Partial<Record<keyof Client, string>> = { chartVersions: 'helm_charts' };

/** The name of a resource in events: `deployment_tasks` of `deploymentTasks`. */
const tableOf = (resource: keyof Client): string =>
  tables[resource] ?? resource.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type AnyCall<T> = (request: unknown, options: { signal: AbortSignal }) => Promise<Answer<T>>;
const callOf = <T>(resource: keyof Client, operation: string): AnyCall<T> =>
  (berth[resource] as unknown as Record<string, AnyCall<T>>)[operation] as AnyCall<T>;

/** A page of a list, read again when a row of its table changes. While another page is read, the previous one stays. */
export const pageOf = <R extends Listed>(resource: R, query: ListQuery<R>) =>
  queryOptions({
    queryKey: [tableOf(resource), resource, 'page', query],
    queryFn: async ({ signal }) => unwrap(await callOf<Page<Row<R>>>(resource, 'list')({ query }, { signal })),
    placeholderData: keepPreviousData,
  });

/** More rows than people look through. The server searches longer lists. */
export const mostRows = 2_000;

/** All rows of a short list, such as the envs. */
export const allOf = <R extends Listed>(resource: R, query: ListQuery<R>) =>
  queryOptions({
    queryKey: [tableOf(resource), resource, 'all', query],
    queryFn: async ({ signal }) => {
      const list = callOf<Page<Row<R>>>(resource, 'list');
      const rows: Row<R>[] = [];
      for await (const row of everyItem((after) =>
        list({ query: { ...(query as object), after, per_page: 100 } }, { signal }),
      )) {
        rows.push(row);
        if (rows.length === mostRows) break;
      }
      return rows;
    },
  });

export interface One<T> {
  row: T;
  /** For `ifMatch` of a change. */
  etag: string | null;
}

/** A row by its id. */
export const oneOf = <R extends With<'get'> & Listed>(resource: R, id: string) =>
  queryOptions({
    queryKey: [tableOf(resource), resource, 'one', id],
    queryFn: async ({ signal }): Promise<One<Row<R>>> => {
      const answer = await callOf<Row<R>>(resource, 'get')({ id }, { signal });
      return { row: unwrap(answer), etag: answer.ok ? answer.etag : null };
    },
  });

/** Any other read. Changes of `table` make it out of date. */
export const readOf = <T>(
  table: string,
  key: readonly unknown[],
  read: (options: { signal: AbortSignal }) => Promise<Answer<T>>,
) =>
  queryOptions({
    queryKey: [table, ...key],
    queryFn: async ({ signal }) => unwrap(await read({ signal })),
  });
