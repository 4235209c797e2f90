import type { CallerName, OperationIdentity, OperationSpec, ServiceName } from '@berth/contracts/definition/contract';
import type { HintName } from '@berth/contracts/definition/hints';

/** Builds every subject of the platform; permissions use the same functions. */

type Named = Pick<OperationIdentity, 'owner' | 'resource' | 'name'>;

/** Subjects name the caller. NATS permissions fix this token, so owners can trust it. */
export const rpcSubject = ({ owner, resource, name }: Named, caller: CallerName | '*'): string =>
  `rpc.v1.${owner}.${caller}.${resource}.${name}`;

/** Addressed to one process of the owner; only that process listens. */
export const processSubject = (operation: Named, caller: CallerName | '*', process: string): string =>
  `${rpcSubject(operation, caller)}.${process}`;

/** The subject that a caller may publish to. For operations addressed to one process, it covers all processes. */
export const callSubject = (operation: Named & Pick<OperationSpec, 'perProcess'>, caller: CallerName): string =>
  operation.perProcess ? processSubject(operation, caller, '*') : rpcSubject(operation, caller);

export const rpcSubjectsOf = (owner: ServiceName): string => `rpc.v1.${owner}.>`;

/** Reads `rpc.v1.<owner>.<caller>.…`: the caller is the second token after the version. */
export const callerOf = (subject: string): string | undefined => subject.split('.', 4)[3];

/** Where a caller receives replies, also those of JetStream. */
export const inboxPrefix = (caller: CallerName): string => `_INBOX_${caller}`;

/** The part of a caller's inbox for replies of one owner: the owner's NATS user may publish only there. */
export const repliesFrom = (owner: CallerName, caller: CallerName): string => `${inboxPrefix(caller)}.${owner}`;

/** The owner precedes the random part, so that permissions can name it. */
export const replySubject = (owner: ServiceName, caller: CallerName, instance: string, token: string): string =>
  `${repliesFrom(owner, caller)}.${instance}.${token}`;

/** Not `state.`: streams of earlier versions capture all of those subjects. */
export const stateSubject = (owner: ServiceName, resource: string, id: string): string =>
  `state_v1.${owner}.${resource}.${id}`;

export const allStateOf = (owner: ServiceName): string => `state_v1.${owner}.>`;

export const eventSubject = (owner: ServiceName, resource: string, id: string): string =>
  `event.v1.${owner}.${resource}.${id}`;

export const allEvents = 'event.v1.>';

export const allEventsOf = (owner: ServiceName): string => `event.v1.${owner}.>`;

export const digestSubject = (owner: ServiceName, resource: string): string => `digest.v1.${owner}.${resource}`;

/** For a follower's request that the owner publish a table again. */
export const republishSubject = (owner: ServiceName, caller: CallerName | '*', resource: string): string =>
  `republish.v1.${owner}.${caller}.${resource}`;

export const hintSubject = (name: HintName, key: string): string => `hint.v1.${name}.${key}`;

/** For a connection's messages to itself, which prove that it still receives. */
export const ownVoiceSubject = (caller: CallerName, instance: string): string => `self.v1.${caller}.${instance}`;

/** Nobody publishes here. That a caller may listen says that it may publish to the subject, which the server tells nobody. */
export const grantedSubject = (caller: CallerName, subject: string): string => `granted.v1.${caller}.${subject}`;

export const serviceVerbs = ['PING', 'INFO', 'STATS'] as const;
export type ServiceVerb = (typeof serviceVerbs)[number];

/** The inbox of operators' tools (`nats --inbox-prefix _INBOX_operators micro ls`). No user may publish to the default inbox. */
export const operatorsInbox = '_INBOX_operators';

/** Subjects of discovery as in ADR-32, so that `nats micro ls` shows the services. */
export const discoverySubject = (verb: ServiceVerb, ...scope: string[]): string => ['$SRV', verb, ...scope].join('.');
