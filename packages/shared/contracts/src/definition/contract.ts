import { z } from 'zod';
import type { Access, Rule } from '../access/rules.ts';
import { Id } from '../fields/fields.ts';
import type { Readers } from '../access/readers.ts';

/** The services, by the name in their subjects, NATS users and Postgres roles. */
export const serviceNames = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** All parts with a NATS user: the services and the Helm runner. */
export const callerNames = [...serviceNames, 'runner'] as const;
export type CallerName = (typeof callerNames)[number];

export const isService = (caller: CallerName): caller is ServiceName => serviceNames.some((name) => name === caller);

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export const apiPrefix = '/api/v2';

/** Such as `GET /deployments/:id`; below the API prefix unless it starts with `/.well-known/`. */
export type HttpRoute = `${HttpMethod} /${string}`;

/** A part of an operation that needs more than `allow`: `permit` checks both. */
export interface StricterPart {
  // oxlint-disable-next-line typescript/no-explicit-any -- rules for every kind of row meet here, as in `Access`
  readonly rule: Rule<any>;
  /** The change that needs more, in words: `a change of name`. */
  readonly for: string;
  /** The scope for the rule, if this request touches this part of the row; else null. */
  readonly when: (row: never, request: never) => object | null;
}

/** Connects the rule of a stricter part with its scope. */
export const stricter = <Scope extends object, Row, Request>(part: {
  rule: Rule<Scope>;
  for: string;
  when: (row: Row, request: Request) => Scope | null;
}) => part;

export interface OperationSpec {
  /** Without a route the operation is internal, and `callers` names the services that may call it. */
  readonly http?: HttpRoute;
  readonly summary: string;
  readonly allow: Access;
  readonly stricter?: readonly StricterPart[];
  /** When it answers 409: `another env has the name`. Without it, only repeated creations get 409. */
  readonly conflicts?: string;
  /** Other resources whose rows it changes. Its handler must record each of them, with an empty list if none changed. */
  readonly changesAlso?: readonly string[];
  /** Other resources whose rows it changes in some cases. */
  readonly mayChange?: readonly string[];
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may be absent, as when a task is canceled. */
  readonly bodyOptional?: true;
  readonly response: z.ZodType;
  /** Success status; by default 200 for reads and updates, 201 for creations, 204 for deletions. */
  readonly status?: 200 | 201 | 204;
  /** Callers besides the gateway (operations with a route), or all callers (internal ones). */
  readonly callers?: readonly CallerName[];
  /** Addressed to one process of the owner, named by the caller, rather than to any replica. */
  readonly perProcess?: true;
  /** May be sent again if no answer arrives; by default true for reads. */
  readonly idempotent?: boolean;
  /** The resource of the row in the path, if the operation takes `If-Match` without changing a row by id. */
  readonly ifMatch?: Pick<ResourceSpec, 'etag'>;
  /** Deadline of the operation in ms, if the default is too short. */
  readonly deadlineMs?: number;
  /** The response is text, which the gateway may stream, rather than JSON. */
  readonly produces?: 'text/plain' | 'text/event-stream' | 'application/x-ndjson';
}

export interface StateSpec {
  /** The public row; must never contain secrets. */
  readonly row: z.ZodObject;
  /** The part of the row that other services see, if it is not all of it. */
  readonly published?: z.ZodObject;
  /**
   * Services with a projection of it; their NATS permissions follow from this list. If it is empty, only events are published.
   */
  readonly consumers: readonly ServiceName[];
  /** The field with the env of a row, by which events are filtered; `env_id` unless given. */
  readonly envIn?: string;
  /** Who receives its events: callers who may read the row. */
  readonly readers: Readers;
  /** The fields of the row that its events carry besides the id; `readers` sees only these. */
  readonly event?: readonly string[];
}

export interface ResourceSpec {
  readonly owner: ServiceName;
  /** One row in words, such as `deployment`, for messages and documentation. */
  readonly singular: string;
  readonly operations: Record<string, OperationSpec>;
  readonly state?: StateSpec;
  /** The fields that users can change; the `ETag` of a row covers them. If absent, it covers all fields but `last_used_at`. */
  readonly etag?: readonly string[];
  /** The row of a resource that does not publish state. */
  readonly row?: z.ZodObject;
}

type HasId<S extends OperationSpec> = S['http'] extends `${string}/:id${string}` ? true : false;

/** What a caller sends: `{id}` of the path, `{query}` and `{body}`, as far as the operation has them. */
export type RequestInput<S extends OperationSpec> = (HasId<S> extends true ? { id: string } : unknown) &
  (S['query'] extends z.ZodType ? { query?: z.input<S['query']> } : unknown) &
  (S['body'] extends z.ZodType
    ? S['bodyOptional'] extends true
      ? { body?: z.input<S['body']> }
      : { body: z.input<S['body']> }
    : unknown);

/** What a handler gets: the same after validation, trimmed and with defaults. */
export type RequestOutput<S extends OperationSpec> = (HasId<S> extends true ? { id: string } : unknown) &
  (S['query'] extends z.ZodType ? { query: z.output<S['query']> } : unknown) &
  (S['body'] extends z.ZodType
    ? S['bodyOptional'] extends true
      ? { body: z.output<S['body']> | undefined }
      : { body: z.output<S['body']> }
    : unknown);

export type ResponseInput<S extends OperationSpec> = z.input<S['response']>;
export type ResponseOutput<S extends OperationSpec> = z.output<S['response']>;

/** The row that the operation's rule checks. */
export type ScopeOf<S extends OperationSpec> = S['allow'] extends Rule<infer Scope> ? Scope & StricterScope<S> : never;

type RowOfPart<Part> = Part extends { when: (row: infer Row, request: never) => unknown } ? (row: Row) => void : never;

/** The fields that its stricter parts need together; any row if it has none. */
type StricterScope<S extends OperationSpec> = S extends { stricter: readonly (infer Part)[] }
  ? RowOfPart<Part> extends (row: infer Row) => void
    ? Row
    : unknown
  : unknown;

export interface OperationIdentity {
  readonly resource: string;
  readonly name: string;
  readonly owner: ServiceName;
  readonly singular: string;
  /** `{id?, query?, body?}`; unknown fields in any part are refused. */
  readonly request: z.ZodType;
}

export type Operation<S extends OperationSpec = OperationSpec> = S & OperationIdentity;

export interface Resource<Ops extends Record<string, OperationSpec> = Record<string, OperationSpec>> {
  readonly name: string;
  readonly owner: ServiceName;
  readonly singular: string;
  readonly operations: { readonly [K in keyof Ops]: Operation<Ops[K]> };
  readonly state?: StateSpec;
  /** The fields that the `ETag` of a row covers; undefined only for resources without rows. */
  readonly etag?: readonly string[];
}

export const operation = <const S extends OperationSpec>(spec: S): S => spec;

export const hasPathId = (spec: OperationSpec): boolean => spec.http?.includes('/:id') ?? false;

function requestSchema(spec: OperationSpec): z.ZodType {
  return z.strictObject({
    ...(hasPathId(spec) && { id: Id }),
    ...(spec.query && { query: spec.query.prefault({}) }),
    ...(spec.body && { body: spec.bodyOptional ? spec.body.optional() : spec.body }),
  });
}

const isIdempotent = ({ idempotent, http }: OperationSpec): boolean => idempotent ?? http?.startsWith('GET') ?? false;

/** Describes a resource once; subjects, routes, permissions, validation and documentation are derived from it. */
export function resource<const Ops extends Record<string, OperationSpec>>(
  name: string,
  spec: Omit<ResourceSpec, 'operations'> & { readonly operations: Ops },
): Resource<Ops> {
  const { owner, singular } = spec;
  const row = rowOf(spec);
  const etag = spec.etag ?? (row && fieldsForEtag(row));
  const operations = Object.fromEntries(
    Object.entries(spec.operations).map(([key, op]) => [
      key,
      { ...op, idempotent: isIdempotent(op), resource: name, name: key, owner, singular, request: requestSchema(op) },
    ]),
  );
  // The only cast of these definitions: Object.fromEntries loses which key had which type.
  return { ...spec, ...(etag && { etag }), name, operations: operations as unknown as Resource<Ops>['operations'] };
}

export const rowOf = ({ state, row }: Pick<ResourceSpec, 'state' | 'row'>): z.ZodObject | undefined =>
  state?.row ?? row;

/** For rows without fields that users can change. Using a token updates its `last_used_at`, which is not an edit. */
const fieldsForEtag = (row: z.ZodObject): string[] => Object.keys(row.shape).filter((name) => name !== 'last_used_at');

/** An operation that changes one row: it takes `If-Match`, and its handler must call `checkIfMatch`. */
export const takesIfMatch = (spec: OperationSpec, { etag }: Pick<ResourceSpec, 'etag'>): boolean =>
  spec.ifMatch !== undefined || (etag !== undefined && /^(?:PUT|DELETE) [^:]*\/:id$/.test(spec.http ?? ''));

/** The env of a row, where it has one. */
export function envIdOf({ state }: Pick<ResourceSpec, 'state'>, row: object): string | null {
  const envId = (row as Record<string, unknown>)[state?.envIn ?? 'env_id'];
  return typeof envId === 'string' ? envId : null;
}

/** A creation, update or deletion that a caller requests: its handler must call `createRow` or one of its siblings. */
export const changesRows = (spec: OperationSpec, { state }: Pick<ResourceSpec, 'state'>): boolean =>
  state !== undefined &&
  spec.allow.on !== 'nothing' &&
  spec.http !== undefined &&
  !spec.http.startsWith('GET') &&
  (successStatus(spec) === 201 || !spec.http.startsWith('POST'));

/** An answer that is one row of the resource and so carries the row's `ETag`. */
export const answersRow = (
  { response }: OperationSpec,
  resource: Pick<ResourceSpec, 'etag' | 'state' | 'row'>,
): boolean => resource.etag !== undefined && response === rowOf(resource);

/** The default success status of an operation. */
export function successStatus(spec: OperationSpec): 200 | 201 | 204 {
  if (spec.status) return spec.status;
  if (spec.http?.startsWith('POST')) return 201;
  return spec.http?.startsWith('DELETE') ? 204 : 200;
}
