import {
  type CallerName,
  callerNames,
  isService,
  type Resource,
  type ServiceName,
  serviceNames,
} from '../../contracts/contract.ts';
import { type HintName, hints } from '../../contracts/hints.ts';
import { chartBucket, chartStream } from '../objects/chart-store.ts';
import { durableName } from '../state/state-consumer.ts';
import { eventStream, stateStream } from '../state/state-stream.ts';
import {
  allEvents,
  digestSubject,
  discoverySubject,
  eventSubject,
  hintSubject,
  inboxPrefix,
  operatorsInbox,
  ownVoiceSubject,
  repliesFrom,
  republishSubject,
  rpcSubject,
  rpcSubjectsOf,
  serviceVerbs,
  stateSubject,
} from '../subjects.ts';

export interface NatsPermissions {
  publish: { allow: string[] };
  /** `subject queue` where only members of the queue group may listen: a replica cannot shadow the traffic of the others. */
  subscribe: { allow: string[] };
}

interface Grants {
  publish: string[];
  subscribe: string[];
}

/** What each NATS user may publish and receive, from the contracts alone; the server refuses everything else. */
export function natsPermissions(resources: readonly Resource[]): Record<CallerName, NatsPermissions> {
  const users = callerNames.map((caller) => {
    const parts = [
      forEveryCaller(caller),
      calls(resources, caller),
      answers(resources, caller),
      publishedState(resources, caller),
      followedState(resources, caller),
      sentHints(caller),
      chartArchives(caller),
    ];
    const publish = [...new Set(parts.flatMap((part) => part.publish))].sort();
    const subscribe = [...new Set(parts.flatMap((part) => part.subscribe))].sort();
    return [caller, { publish: { allow: publish }, subscribe: { allow: subscribe } }] as const;
  });
  return Object.fromEntries(users) as Record<CallerName, NatsPermissions>;
}

/** The callers of an operation: the gateway where it has a route, and those its contract names. */
export const callersOf = ({ http, callers = [] }: Resource['operations'][string]): CallerName[] => [
  ...new Set<CallerName>([...(http ? (['api-gateway'] as const) : []), ...callers]),
];

function forEveryCaller(caller: CallerName): Grants {
  const ownVoice = ownVoiceSubject(caller, '*');
  const discovery = serviceVerbs.flatMap((verb) => [
    discoverySubject(verb),
    discoverySubject(verb, caller),
    discoverySubject(verb, caller, '*'),
  ]);
  return {
    publish: [ownVoice, `${operatorsInbox}.>`],
    subscribe: [ownVoice, `${inboxPrefix(caller)}.>`, ...discovery],
  };
}

function calls(resources: readonly Resource[], caller: CallerName): Grants {
  const publish = operationsOf(resources)
    .filter((operation) => callersOf(operation).includes(caller))
    .map((operation) => rpcSubject(operation, caller));
  // Readiness of the gateway is that of the services behind it.
  const pings = caller === 'api-gateway' ? serviceNames.map((name) => discoverySubject('PING', name)) : [];
  return { publish: [...publish, ...pings], subscribe: [] };
}

function answers(resources: readonly Resource[], caller: CallerName): Grants {
  const owned = operationsOf(resources).filter(({ owner }) => owner === caller);
  const callers = owned.flatMap(callersOf);
  const pinged: CallerName[] = isService(caller) ? ['api-gateway'] : [];
  return {
    publish: [...callers, ...pinged].map((one) => `${repliesFrom(caller, one)}.>`),
    subscribe: owned.flatMap(({ owner }) => [`${rpcSubjectsOf(owner)} ${owner}`]),
  };
}

function publishedState(resources: readonly Resource[], caller: CallerName): Grants {
  const owned = resources.filter(({ owner, state }) => state && owner === caller);
  if (owned.length === 0) return { publish: [], subscribe: [] };
  return {
    publish: [
      ...owned.flatMap(({ owner, name }) => [
        stateSubject(owner, name, '>'),
        eventSubject(owner, name, '>'),
        digestSubject(owner, name),
      ]),
      ...owned.flatMap(({ owner }) => streamsOf(owner)),
    ],
    subscribe: [...new Set(owned.map(({ owner }) => republishSubject(owner, '*', '*')))],
  };
}

const streamsOf = (owner: ServiceName): string[] =>
  [stateStream(owner), eventStream].flatMap((name) => [`$JS.API.STREAM.CREATE.${name}`, `$JS.API.STREAM.INFO.${name}`]);

function followedState(resources: readonly Resource[], caller: CallerName): Grants {
  if (caller === 'api-gateway') return watchedEvents();
  const followed = resources.filter(({ state }) => state?.consumers.some((consumer) => consumer === caller));
  if (followed.length === 0) return { publish: [], subscribe: [] };
  return {
    publish: followed.flatMap(({ owner, name }) => [
      ...consumerApi(stateStream(owner), durableName(caller, name), stateSubject(owner, name, '>')),
      ...acks(stateStream(owner), durableName(caller, name)),
      republishSubject(owner, caller, name),
    ]),
    subscribe: followed.map(({ owner, name }) => digestSubject(owner, name)),
  };
}

/** The gateway keeps no projection: each of its processes may watch events by its own consumer, without acks. */
const watchedEvents = (): Grants => ({
  publish: [...consumerApi(eventStream, '*', allEvents), `$JS.API.STREAM.INFO.${eventStream}`],
  subscribe: [],
});

const consumerApi = (stream: string, consumer: string, filter: string): string[] => [
  // The filter is part of the subject, so the server permits no other filter.
  `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.${filter}`,
  `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
  `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`,
];

/** Both forms: the second carries domain and account hash, and becomes the default of later servers. */
const acks = (stream: string, consumer: string): string[] => [
  `$JS.ACK.${stream}.${consumer}.>`,
  `$JS.ACK.*.*.${stream}.${consumer}.>`,
];

function sentHints(caller: CallerName): Grants {
  const grants: Grants = { publish: [], subscribe: [] };
  for (const [name, { sender, listeners }] of Object.entries(hints)) {
    const subject = hintSubject(name as HintName, '*');
    if (sender === caller) grants.publish.push(subject);
    if (listeners.some((listener) => listener === caller)) grants.subscribe.push(subject);
  }
  return grants;
}

/**
 * Only `registry-scan` reads and writes chart archives; runners call it. A user that may send JetStream any request chooses
 * the subject to which the server publishes the answer, past the user's own permissions.
 */
function chartArchives(caller: CallerName): Grants {
  const stream = chartStream;
  const chunks = `$O.${chartBucket}.C.>`;
  const read = [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.*.$O.${chartBucket}.C.*`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.FC.${stream}.>`,
  ];
  const write = [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.PURGE.${stream}`, chunks, `$O.${chartBucket}.M.>`];
  if (caller === 'registry-scan') return { publish: [...read, ...write], subscribe: [] };
  return { publish: [], subscribe: [] };
}

const operationsOf = (resources: readonly Resource[]) =>
  resources.flatMap(({ operations }) => Object.values(operations));
