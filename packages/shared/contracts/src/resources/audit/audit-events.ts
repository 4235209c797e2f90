import { z } from 'zod';
import { auditor, ourServices } from '../../access/rules.ts';
import { operation, resource, type ServiceName } from '../../definition/contract.ts';
import { filter, wholeNumber } from '../../definition/paging.ts';
import { Id, JsonObject, Text, Timestamp } from '../../fields/fields.ts';

/** The services that change rows for callers; each stores the events of its own changes. */
export const auditedServices = ['auth', 'tasks', 'cluster-sync', 'registry-scan'] as const;

/** A change, or refused attempts. Ids remain after the object is deleted. */
export const AuditEvent = z.strictObject({
  id: Id,
  at: Timestamp,
  /** The service that made or refused the change and stores the event. */
  service: z.enum(auditedServices),
  /** Null for actions of the platform itself and for a refused sign-in. `token_id` is null for a session. */
  actor: z.strictObject({ kind: z.enum(['user', 'bot', 'deployment']), id: Id, token_id: Id.nullable() }).nullable(),
  operation: z.string(),
  object: z.strictObject({ resource: z.string(), id: Id.nullable() }),
  env_id: Id.nullable(),
  result: z.enum(['done', 'denied']),
  /** How many attempts the event counts. */
  times: z.number().int(),
  /** The values that differ; null if the event does not compare two rows. Never contains secrets. */
  before: JsonObject.nullable(),
  after: JsonObject.nullable(),
  details: JsonObject,
  request_id: z.string().nullable(),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

/** The events to be exported. */
export const AuditFilters = z.strictObject({
  actor_id: filter.id.optional(),
  token_id: filter.id.optional(),
  resource: filter.exact.optional().meta({ description: 'the kind of object, such as deployments' }),
  object_id: filter.id.optional(),
  env_id: filter.id.optional(),
  operation: filter.exact.optional().meta({ description: 'such as create, update or delete' }),
  result: z.enum(['done', 'denied']).optional(),
  from: filter.time.optional().meta({ description: 'at this time or later' }),
  to: filter.time.optional().meta({ description: 'before this time' }),
});

export const AuditQuery = z.strictObject({
  per_page: wholeNumber(1, 100).optional().meta({ description: '50 unless given' }),
  before: Text.max(200).optional().meta({ description: 'the `next` of the last page: events that are older' }),
  ...AuditFilters.shape,
});
export type AuditQuery = z.output<typeof AuditQuery>;

/** `next` is null at the end. Events are not counted: there are too many of them. */
export const AuditPage = z.strictObject({ items: z.array(AuditEvent), next: z.string().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;

export const auditEvents = resource('audit_events', {
  owner: 'auth',
  singular: 'audit event',
  row: AuditEvent,
  operations: {
    list: operation({
      http: 'GET /audit-events',
      summary:
        'List changes and refused attempts, newest first: of all envs for site admins, else of the envs of an env admin',
      allow: auditor,
      query: AuditQuery,
      response: AuditPage,
    }),
    // The gateway assembles it from the pages of the list.
    export: operation({
      http: 'GET /audit-events/export',
      summary: 'Export all events that the list has, newest first, each as a line of JSON',
      allow: auditor,
      query: AuditFilters,
      response: z.string(),
      produces: 'application/x-ndjson',
    }),
    get: operation({
      http: 'GET /audit-events/:id',
      summary: 'Read an audit event',
      allow: auditor,
      response: AuditEvent,
    }),
  },
});

/** The part of the audit log that one service stores. `auth` reads it, since `auth` knows who may see which events. */
const auditOf = (owner: ServiceName, name: string) =>
  resource(name, {
    owner,
    singular: 'audit event',
    operations: {
      read: operation({
        summary: `Events that ${owner} keeps, newest first`,
        allow: ourServices,
        callers: ['auth'],
        body: z.strictObject({
          visible: z.union([z.literal('all'), z.array(Id)]),
          query: AuditQuery,
          id: Id.optional(),
        }),
        response: z.strictObject({ events: z.array(AuditEvent) }),
        idempotent: true,
      }),
    },
  });

export const auditOfTasks = auditOf('tasks', 'audit_of_tasks');
export const auditOfClusterSync = auditOf('cluster-sync', 'audit_of_cluster_sync');
export const auditOfRegistryScan = auditOf('registry-scan', 'audit_of_registry_scan');
