import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import { serviceCreds } from '@berth/contracts/fields/kubernetes-names';
import { troubleLog } from '@berth/db/outbox/trouble-log';
import { AppError, isOutage } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { backOffMs } from '@berth/contracts/back-off';
import { pause } from '@berth/service/waiting/pause';
import type { InTurn } from '@berth/service/waiting/at-most';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import { createReflector } from '../reflector/reflector.ts';
import { runTogether } from '../reflector/run-together.ts';
import { createCredentialBook, type CredentialBook, type DueCredentials } from './credential-book.ts';
import type { CredentialRepository } from './credential-repository.ts';
import { createFoundSecrets, type FoundSecrets } from './found-secrets.ts';
import type { WriteCredentials } from './write-credentials.ts';

export interface KeepCredentialsDeps {
  readonly credentialRepository: Pick<CredentialRepository, 'wantedIn' | 'issuedIn'>;
  readonly writeCredentials: WriteCredentials;
  readonly log: Service['log'];
  readonly resyncMs: number;
  readonly stallMs: number;
  /** Shared by all clusters. */
  readonly listInTurn: InTurn;
  /** For one cluster; writes that runners request are not counted. */
  readonly writesPerSecond: number;
  /** How often to read which deployments a cluster has. */
  readonly readMs: number;
  /** The pause between two writes of one Secret, so that one that keeps being changed does not delay others. */
  readonly betweenWritesMs: number;
}

interface Cluster {
  readonly id: string;
  readonly api: KubeApi;
}

/** More than one, so that slow answers do not delay the others. */
const mostAtOnce = 8;
const withoutNamespaceMs = 5 * 60_000;
const refusedMs = 60_000;
const retries = { firstMs: 15_000, longestMs: 10 * 60_000, jitter: 0.3 };
const outage = { firstMs: 1_000, longestMs: 30_000, jitter: 0.5 };

/**
 * Refreshes `service-creds` of all deployments of a cluster, and repairs it when somebody changes it, until the signal aborts.
 * One deployment does not delay another. During an outage of auth, the bus or the cluster, all deployments wait and then
 * continue at the same pace.
 */
export async function keepCredentials(
  deps: KeepCredentialsDeps,
  { id, api }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const { credentialRepository, log } = deps;
  const secrets = createFoundSecrets();
  const book = createCredentialBook({ secretOf: secrets.of, betweenWritesMs: deps.betweenWritesMs });
  const reflector = createReflector({
    api,
    // RBAC can restrict this list and watch to the one name.
    path: `/api/v1/secrets?fieldSelector=${encodeURIComponent(`metadata.name=${serviceCreds}`)}`,
    pathIn: (namespace) => `/api/v1/namespaces/${namespace}/secrets`,
    sink: secrets.sink,
    listInTurn: deps.listInTurn,
    log: log.child({ kind: 'Secret' }),
    resyncMs: deps.resyncMs,
    stallMs: deps.stallMs,
  });

  const refusals = troubleLog(log, 'the credentials of a deployment cannot be written');
  const trouble = troubleLog(log, 'reading which deployments need credentials fails');
  const read = async (end: AbortSignal) => {
    while (!end.aborted) {
      await credentialRepository
        .wantedIn(id)
        .then((rows) => book.want(rows, performance.now()))
        .then(trouble.fine, trouble.failed);
      await pause(deps.readMs * (0.9 + Math.random() * 0.2), end);
    }
  };
  await runTogether(signal, [
    (end) => reflector.run(end),
    read,
    (end) => writeDue({ ...deps, book, refusals, secrets }, { id, api }, end),
  ]);
}

interface Writing extends KeepCredentialsDeps {
  readonly book: CredentialBook;
  /** Logs refusals of single deployments. Thousands may have the same reason, which is logged once. */
  readonly refusals: ReturnType<typeof troubleLog>;
  readonly secrets: Pick<FoundSecrets, 'isListed'>;
}

async function writeDue(deps: Writing, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const { book, log, writesPerSecond, secrets } = deps;
  const trouble = troubleLog(log, 'writing the credentials of deployments fails');
  const inFlight = new Set<Promise<void>>();
  let outages = 0;

  const write = async (due: DueCredentials) => {
    try {
      await writeOne(deps, cluster, due, signal);
      outages = 0;
      trouble.fine();
    } catch (error) {
      if (signal.aborted) return;
      outages += 1;
      trouble.failed(error);
    }
  };

  while (!signal.aborted) {
    const due = secrets.isListed() ? book.due(performance.now(), Math.ceil(writesPerSecond)) : [];
    // During an outage a single write is tried, since the others would fail as well.
    for (const one of outages > 0 ? due.slice(0, 1) : due) {
      if (inFlight.size >= mostAtOnce) await Promise.race(inFlight);
      // The first write failed, so the others would too.
      if (signal.aborted || (outages > 0 && one !== due[0])) break;
      book.postpone(one.namespace, performance.now() + deps.betweenWritesMs);
      const writing = write(one).finally(() => inFlight.delete(writing));
      inFlight.add(writing);
      await pause(1_000 / writesPerSecond, signal);
    }
    if (outages > 0) {
      await Promise.all(inFlight);
      if (outages > 0) await pause(backOffMs(outage, outages), signal);
    } else if (due.length === 0) await pause(1_000, signal);
  }
  await Promise.all(inFlight);
}

/** Throws only for an outage that affects all deployments. */
async function writeOne(deps: Writing, cluster: Cluster, due: DueCredentials, signal: AbortSignal): Promise<void> {
  const { book, credentialRepository, writeCredentials, refusals } = deps;
  const { namespace, deploymentId, envId } = due;
  const postponeFor = (ms: number) => book.postpone(namespace, performance.now() + ms * (0.9 + Math.random() * 0.2));
  try {
    const issued = await credentialRepository.issuedIn(cluster.id, namespace);
    const isIntact =
      issued && book.learn(namespace, { digest: issued.digest, refreshInMs: issued.refresh_in_ms }, performance.now());
    if (isIntact && issued.refresh_in_ms > 0) return;

    const place = { api: cluster.api, clusterId: cluster.id, envId, namespace, deploymentId };
    const written = await writeCredentials(place, { signal });
    if (written.kind === 'no_namespace') return postponeFor(withoutNamespaceMs);
    if (written.kind === 'refused') return postponeFor(refusedMs);
    book.learn(namespace, written, performance.now());
    book.fine(namespace);
    // Until the watch shows the Secret, it still seems to be missing.
    book.postpone(namespace, performance.now() + deps.betweenWritesMs);
    refusals.fine();
  } catch (error) {
    if (isOutage(error)) throw error;
    const failures = book.failed(namespace);
    book.postpone(namespace, performance.now() + backOffMs(retries, failures));
    if (!isAboutThisOne(error)) throw error;
    const reason = describeClusterFailure(error, cluster.api.server);
    refusals.failed(new AppError('conflict', `the cluster refuses ${serviceCreds} in ${namespace}: ${reason}`));
  }
}

/** The cluster refuses this one object: a quota, a policy, a finalizer. */
const isAboutThisOne = (error: unknown): boolean =>
  error instanceof KubeError && [400, 403, 404, 405, 409, 413, 415, 422].includes(error.status);
