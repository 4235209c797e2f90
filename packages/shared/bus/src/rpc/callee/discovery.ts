import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { CallerName, Operation } from '@berth/contracts/definition/contract';
import type { Connection } from '../../connection/connection.ts';
import {
  discoverySubject,
  operatorsInbox,
  repliesFrom,
  type ServiceVerb,
  serviceVerbs,
} from '../../protocol/subjects.ts';

interface EndpointStats {
  subject: string;
  queue: string;
  requests: number;
  errors: number;
  nanoseconds: number;
}

export interface DiscoveryDeps {
  connection: Connection;
  caller: CallerName;
  instance: string;
  log: Logger;
}

const version = '0.1.0';

/** Answers `$SRV.PING|INFO|STATS` as ADR-32 defines, for `nats micro ls` and the readiness of the gateway. */
export function createDiscovery({ connection, caller, instance, log }: DiscoveryDeps) {
  const started = new Date().toISOString();
  const endpoints = new Map<string, EndpointStats>();
  // Ignores replies to subjects outside an inbox: a requester must not choose the subject to which we publish.
  const inboxes = [`${operatorsInbox}.`, `${repliesFrom(caller, 'api-gateway')}.`];
  const identity = { name: caller, id: instance, version, metadata: {} };

  const answers: Record<ServiceVerb, () => object> = {
    PING: () => ({ type: 'io.nats.micro.v1.ping_response', ...identity }),
    INFO: () => ({
      type: 'io.nats.micro.v1.info_response',
      ...identity,
      description: '',
      endpoints: [...endpoints].map(([name, { subject, queue }]) => ({
        name,
        subject,
        queue_group: queue,
        metadata: {},
      })),
    }),
    STATS: () => ({
      type: 'io.nats.micro.v1.stats_response',
      ...identity,
      started,
      endpoints: [...endpoints].map(([name, { subject, queue, requests, errors, nanoseconds }]) => ({
        name,
        subject,
        queue_group: queue,
        num_requests: requests,
        num_errors: errors,
        last_error: '',
        processing_time: nanoseconds,
        average_processing_time: requests === 0 ? 0 : Math.round(nanoseconds / requests),
      })),
    }),
  };

  const subscriptions: Subscription[] = serviceVerbs.flatMap((verb) =>
    [[], [caller], [caller, instance]].map((scope) => connection.nc.subscribe(discoverySubject(verb, ...scope))),
  );
  for (const subscription of subscriptions) void answerAll(subscription);

  async function answerAll(subscription: Subscription): Promise<void> {
    const verb = subscription.getSubject().split('.')[1] as ServiceVerb;
    try {
      for await (const message of subscription) answer(verb, message);
    } catch (error) {
      log.error({ err: error }, 'no longer answering discovery');
    }
  }

  function answer(verb: ServiceVerb, message: Msg): void {
    if (!inboxes.some((inbox) => message.reply?.startsWith(inbox))) return;
    try {
      message.respond(JSON.stringify(answers[verb]()));
    } catch (error) {
      log.error({ err: error }, 'answering discovery failed');
    }
  }

  return {
    subscriptions,
    add({ resource, name, owner }: Operation, subject: string): void {
      endpoints.set(`${resource}-${name}`, { subject, queue: owner, requests: 0, errors: 0, nanoseconds: 0 });
    },
    count({ resource, name }: Operation, elapsedMs: number, code: string): void {
      const stats = endpoints.get(`${resource}-${name}`);
      if (!stats) return;
      stats.requests += 1;
      stats.nanoseconds += Math.round(elapsedMs * 1e6);
      if (code !== 'ok') stats.errors += 1;
    },
  };
}
