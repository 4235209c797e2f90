import { z } from 'zod';
import type { DescribedRegistry } from '../../connection/described-registry.ts';
import type { DescribedQueue } from '../../connection/event-queue.ts';
import { commonSettings, commonSource, repositoriesSetting } from '../../connection/registry-source.ts';
import { createOciClient } from '../../oci/client/oci-client.ts';
import { isRepositoryName, isTag } from '../../oci/names.ts';
import { createEcrApi } from './ecr-api.ts';
import { type EcrHost, ecrHostIn, ecrName } from './ecr-host.ts';
import { createSqsQueue } from './sqs-queue.ts';

/** ECR: its API lists repositories, tags and digests; manifests and packages come by the distribution protocol. */
export const EcrSettings = z
  .strictObject({
    type: z.literal('ecr'),
    ...commonSettings,
    repositories: repositoriesSetting(isRepositoryName),
    /** Where manifests and packages come from, if not from `url`: an endpoint of the own network. */
    pull_url: commonSettings.url.optional(),
    /** The URL of a queue of SQS that a rule of EventBridge fills with its events. */
    events_queue: commonSettings.url.optional(),
    /** The URL of a queue for messages that cannot be understood. */
    dead_letter_queue: commonSettings.url.optional(),
    /** Unless given it is longer with a queue: polls then find only what events do not name. */
    poll_interval_seconds: z.number().positive().max(86_400).optional(),
  })
  .transform((given, context): DescribedRegistry => {
    const { pull_url: pullUrl = given.url, events_queue: queueUrl } = given;
    const { poll_interval_seconds = queueUrl === undefined ? 60 : 900 } = given;
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const { host, hostname, pathname } = new URL(given.url);
    const registry = ecrHostIn(hostname);
    if (registry === null || pathname !== '/') {
      refuse('url', 'must be https://<account>.dkr.ecr.<region>.amazonaws.com');
      return z.NEVER;
    }
    if (given.credentials_file !== undefined) refuse('credentials_file', 'must be absent: ECR has tokens of its own');
    // Its rules are those of every URL, so that packages come from no address that is denied.
    const source = {
      ...commonSource({ ...given, poll_interval_seconds, url: pullUrl }, context),
      provider: 'Ecr' as const,
      domain: host,
    };
    return {
      source,
      events: queueOf(given, registry, refuse),
      connect({ onRequest }) {
        const api = createEcrApi(registry, onRequest);
        const credentials = { readCredentials: api.credentials, areIssued: true };
        const oci = createOciClient({ ...source, authHosts: [] }, { ...credentials, onRequest });
        return {
          ...oci,
          repositories: async (only, signal) => only ?? (await api.repositories(signal)).filter(isRepositoryName),
          tags: async (repository, signal) =>
            (await api.tags(repository, signal))?.filter(({ tag }) => isTag(tag)) ?? null,
          [Symbol.dispose]() {
            oci[Symbol.dispose]();
            api[Symbol.dispose]();
          },
        };
      },
    };
  });

interface QueueSettings {
  events_queue?: string | undefined;
  dead_letter_queue?: string | undefined;
  allow_http: boolean;
}

function queueOf(
  { events_queue: url, dead_letter_queue: deadLetterUrl, allow_http: allowHttp }: QueueSettings,
  registry: EcrHost,
  refuse: (field: string, message: string) => void,
): DescribedQueue | undefined {
  if (url === undefined || deadLetterUrl === undefined) {
    if (deadLetterUrl !== undefined) refuse('events_queue', 'is required with dead_letter_queue');
    if (url !== undefined) refuse('dead_letter_queue', 'is required with events_queue');
    return undefined;
  }
  const { origin, protocol } = new URL(url);
  if (protocol === 'http:' && !allowHttp) refuse('events_queue', 'must be https unless allow_http is true');
  if (new URL(deadLetterUrl).origin !== origin) refuse('dead_letter_queue', 'must be in the region of events_queue');
  if (url === deadLetterUrl) refuse('dead_letter_queue', 'must be another queue than events_queue');
  const { region } = registry;
  return {
    url,
    host: ecrName(registry),
    open: (onRequest) => createSqsQueue({ url, deadLetterUrl, region }, onRequest),
  };
}
