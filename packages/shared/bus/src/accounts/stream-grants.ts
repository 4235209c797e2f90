import { type CallerName, callerNames, type Resource, type ServiceName } from '@berth/contracts/definition/contract';
import { chartBucket, chartStream } from '../objects/chart-store.ts';
import { consumedBy, durableName } from '../state/state-consumer.ts';
import { eventStream, stateStream } from '../state/state-stream.ts';
import { allEventsOf, allStateOf, stateSubject } from '../protocol/subjects.ts';

/** The subjects of one stream to which a part may publish; this is all that it can do with JetStream. */
export interface StreamGrant {
  readonly caller: CallerName;
  readonly stream: string;
  readonly publish: readonly string[];
}

/** Whether a part works with streams. Runners do not. */
export const usesStreams = (caller: CallerName): boolean => caller !== 'runner';

export const callersWithStreams: readonly CallerName[] = callerNames.filter(usesStreams);

/** Whether a part owns rows whose state it publishes, by these contracts. */
export const publishesState = (caller: CallerName, resources: readonly Resource[]): boolean =>
  resources.some(({ owner, state }) => owner === caller && state);

/** The NATS user of a part for its streams, besides its user for the bus; both have the same password. */
export const streamsUser = (caller: CallerName): string => `${caller}-streams`;

/** Who may do what with which stream, from the contracts alone. */
export function streamGrants(resources: readonly Resource[]): StreamGrant[] {
  const grants = [...publishedState(resources), ...followedState(resources), ...chartArchives(), watchedEvents];
  return grants.filter(({ caller }) => usesStreams(caller));
}

function publishedState(resources: readonly Resource[]): StreamGrant[] {
  const owners = new Set(resources.filter(({ state }) => state).map(({ owner }) => owner));
  return [...owners].flatMap((owner) => [
    { caller: owner, stream: stateStream(owner), publish: ownStream(resources, owner) },
    { caller: owner, stream: eventStream, publish: [...ensureStream(eventStream), allEventsOf(owner)] },
  ]);
}

const ensureStream = (stream: string): string[] => [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.INFO.${stream}`];

/**
 * Owners create their followers' consumers. A request that creates a consumer also names the subject to which the server
 * delivers, and that could be one of JetStream's API.
 */
function ownStream(resources: readonly Resource[], owner: ServiceName): string[] {
  const stream = stateStream(owner);
  const consumers = consumedBy(resources, owner).map(
    ({ follower, resource }) =>
      `$JS.API.CONSUMER.CREATE.${stream}.${durableName(follower, resource.name)}.${stateSubject(owner, resource.name, '>')}`,
  );
  return [...ensureStream(stream), `$JS.API.CONSUMER.LIST.${stream}`, ...consumers, allStateOf(owner)];
}

function followedState(resources: readonly Resource[]): StreamGrant[] {
  const owners = [...new Set(resources.map(({ owner }) => owner))];
  return owners.flatMap((owner) =>
    consumedBy(resources, owner).map(({ follower, resource }) => {
      const stream = stateStream(owner);
      const consumer = durableName(follower, resource.name);
      const publish = [
        ...['INFO', 'MSG.NEXT', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.${consumer}`),
        // The second form, of later servers, adds the domain (`_` if there is none) and the account hash. With a wildcard for the
        // domain it would match acknowledgements of other consumers in the first form.
        `$JS.ACK.${stream}.${consumer}.>`,
        `$JS.ACK._.*.${stream}.${consumer}.>`,
      ];
      return { caller: follower, stream, publish };
    }),
  );
}

/** Only `registry-scan` reads and writes chart archives; runners call it. */
function chartArchives(): StreamGrant[] {
  const stream = chartStream;
  const read = [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`, `$JS.API.DIRECT.GET.${stream}`];
  const write = [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.PURGE.${stream}`, `$O.${chartBucket}.>`];
  return [{ caller: 'registry-scan', stream, publish: [...read, ...write] }];
}

/** The gateway reads events by their sequence, which creates nothing in the stream. */
export const readsEvents = `$JS.API.DIRECT.GET.${eventStream}`;

const watchedEvents: StreamGrant = {
  caller: 'api-gateway',
  stream: eventStream,
  publish: [`$JS.API.STREAM.INFO.${eventStream}`, readsEvents],
};
