import { type CallerName, callerNames, type Resource } from '@berth/contracts/definition/contract';
import { resources as allResources } from '@berth/contracts/resources/index';
import { inboxPrefix, ownVoiceSubject } from '../protocol/subjects.ts';
import { type NatsPermissions, natsPermissions } from './permissions.ts';
import { callersWithStreams, readsEvents, type StreamGrant, streamGrants, streamsUser } from './stream-grants.ts';

export interface NatsUser {
  readonly name: string;
  /** In plain text or as a bcrypt hash. */
  readonly password: string;
  /** Without permissions, the user may do everything in its account; for operators and tests. */
  readonly permissions?: { readonly publish: SubjectRules; readonly subscribe: SubjectRules } | undefined;
}

interface SubjectRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Subjects are separate in each account, except for those that one account exports and another imports. */
export interface NatsAccount {
  readonly name: string;
  readonly users: readonly NatsUser[];
  readonly hasJetStream: boolean;
  readonly exports?: readonly ServiceExport[];
  readonly imports?: readonly { readonly account: string; readonly subject: string }[];
}

interface ServiceExport {
  readonly subject: string;
  readonly to: readonly string[];
  /** The number of answers: many for pulls and batch reads. */
  readonly hasManyAnswers: boolean;
}

export interface NatsAccountsOptions {
  readonly passwords: Record<CallerName, string>;
  readonly resources?: readonly Resource[];
  /** May do everything on the bus under its name, and with each stream as `administratorOf(stream, operator)`. */
  readonly operator?: NatsOperator | undefined;
}

export type NatsOperator = Pick<NatsUser, 'name' | 'password'>;

/** Such as `operator-STATE_auth`. */
export const administratorOf = (stream: string, operator: Pick<NatsOperator, 'name'>): string =>
  `${operator.name}-${stream}`;

/**
 * JetStream replies to any subject that a request names, even one that its sender may not publish to. So each stream has an
 * account of its own, and each part has an account for its streams user: a reply ends where nobody else listens, and a message in
 * a stream's account cannot reach the bus or another stream. See docs/decisions/0008.
 */
export function natsAccounts(options: NatsAccountsOptions): NatsAccount[] {
  const { resources = allResources } = options;
  const grants = streamGrants(resources);
  return [
    busAccount(options, resources),
    ...callersWithStreams.map((caller) => streamsAccount(caller, options.passwords[caller], grants)),
    ...[...new Set(grants.map(({ stream }) => stream))].map((stream) => accountOfStream(stream, grants, options)),
  ];
}

function busAccount({ passwords, operator }: NatsAccountsOptions, resources: readonly Resource[]) {
  const permissions = natsPermissions(resources);
  const users = callerNames.map((name) => ({ name, password: passwords[name], permissions: permissions[name] }));
  return { name: 'BUS', users: [...users, ...(operator ? [operator] : [])], hasJetStream: false };
}

/**
 * Must be imported into accounts without JetStream: otherwise the server answers its whole API there with "not enabled". No user
 * may publish to it.
 */
const accountInfo = '$JS.API.INFO';

function streamsAccount(caller: CallerName, password: string, grants: readonly StreamGrant[]): NatsAccount {
  const own = grants.filter((grant) => grant.caller === caller);
  return {
    name: streamsUser(caller),
    users: [{ name: streamsUser(caller), password, permissions: streamsPermissions(caller, own) }],
    hasJetStream: false,
    imports: [
      ...own.flatMap(({ stream, publish }) => publish.map((subject) => ({ account: stream, subject }))),
      ...own.slice(0, 1).map(({ stream }) => ({ account: stream, subject: accountInfo })),
    ],
  };
}

/** The separate account already prevents this; with permissions, the server also reports the attempt. */
function streamsPermissions(caller: CallerName, own: readonly StreamGrant[]): NatsPermissions {
  const ownVoice = ownVoiceSubject(caller, '*');
  return {
    publish: { allow: [ownVoice, ...own.flatMap(({ publish }) => publish)].sort() },
    subscribe: { allow: [ownVoice, `${inboxPrefix(caller)}.>`] },
  };
}

function accountOfStream(stream: string, grants: readonly StreamGrant[], { operator }: NatsAccountsOptions) {
  const here = grants.filter((grant) => grant.stream === stream);
  const subjects = [...new Set(here.flatMap(({ publish }) => publish))].sort();
  const everyCaller = [...new Set(here.map(({ caller }) => streamsUser(caller)))];
  return {
    name: stream,
    users: operator ? [{ name: administratorOf(stream, operator), password: operator.password }] : [],
    hasJetStream: true,
    exports: [
      { subject: accountInfo, to: everyCaller, hasManyAnswers: false },
      ...subjects.map((subject) => ({
        subject,
        to: here.filter(({ publish }) => publish.includes(subject)).map(({ caller }) => streamsUser(caller)),
        hasManyAnswers: subject.startsWith('$JS.API.CONSUMER.MSG.NEXT.') || subject === readsEvents,
      })),
    ],
  };
}
