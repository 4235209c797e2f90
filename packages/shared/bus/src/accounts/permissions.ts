import {
  type CallerName,
  callerNames,
  isService,
  type Resource,
  serviceNames,
} from '@berth/contracts/definition/contract';
import { type HintName, hints } from '@berth/contracts/definition/hints';
import {
  callSubject,
  digestSubject,
  grantedSubject,
  discoverySubject,
  hintSubject,
  inboxPrefix,
  operatorsInbox,
  ownVoiceSubject,
  repliesFrom,
  republishSubject,
  rpcSubjectsOf,
  serviceVerbs,
} from '../protocol/subjects.ts';

export interface NatsPermissions {
  publish: { allow: string[] };
  /** `subject queue` where only members of the queue group may listen: a replica cannot shadow the traffic of the others. */
  subscribe: { allow: string[] };
}

interface Grants {
  publish: string[];
  subscribe: string[];
}

/**
 * The subjects to which the NATS user of each part may publish and listen on the bus, from the contracts alone; the server
 * refuses all others. For streams, which are in other accounts, see `streamGrants`.
 */
export function natsPermissions(resources: readonly Resource[]): Record<CallerName, NatsPermissions> {
  const users = callerNames.map((caller) => {
    const parts = [
      forEveryCaller(caller),
      calls(resources, caller),
      answers(resources, caller),
      publishedState(resources, caller),
      followedState(resources, caller),
      sentHints(caller),
    ];
    const publish = [...new Set(parts.flatMap((part) => part.publish))].sort();
    const granted = publish.map((subject) => grantedSubject(caller, subject));
    const subscribe = [...new Set([...parts.flatMap((part) => part.subscribe), ...granted])].sort();
    return [caller, { publish: { allow: publish }, subscribe: { allow: subscribe } }] as const;
  });
  return Object.fromEntries(users) as Record<CallerName, NatsPermissions>;
}

/** The callers of an operation: the gateway if it has a route, and those that its contract names. */
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
    .map((operation) => callSubject(operation, caller));
  // The gateway pings services to learn whether they are ready.
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
  return {
    publish: owned.map(({ owner, name }) => digestSubject(owner, name)),
    subscribe: owned.map(({ owner }) => republishSubject(owner, '*', '*')),
  };
}

function followedState(resources: readonly Resource[], caller: CallerName): Grants {
  const followed = resources.filter(({ state }) => state?.consumers.some((consumer) => consumer === caller));
  return {
    publish: followed.map(({ owner, name }) => republishSubject(owner, caller, name)),
    subscribe: followed.map(({ owner, name }) => digestSubject(owner, name)),
  };
}

function sentHints(caller: CallerName): Grants {
  const grants: Grants = { publish: [], subscribe: [] };
  for (const [name, { sender, listeners }] of Object.entries(hints)) {
    const subject = hintSubject(name as HintName, '*');
    if (sender === caller) grants.publish.push(subject);
    if (listeners.some((listener) => listener === caller)) grants.subscribe.push(subject);
  }
  return grants;
}

const operationsOf = (resources: readonly Resource[]) =>
  resources.flatMap(({ operations }) => Object.values(operations));
