import { resolve } from 'node:path';
import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { z } from 'zod';
import { mebibyte } from './helm/helm-limits.ts';

const Addresses = z
  .string()
  .default('')
  .transform((list) => list.split(/[\s,]+/).filter((address) => address !== ''))
  .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])));

const NameServers = z
  .string()
  .default('')
  .transform((list) => list.split(/[\s,]+/).filter((server) => server !== ''))
  .pipe(
    z.array(
      z
        .string()
        .regex(
          /^(?:[\d.]+(?::\d+)?|[\da-fA-F:]+|\[[\da-fA-F:]+\](?::\d+)?)$/,
          'must be an address, with or without a port',
        ),
    ),
  );

export const Config = z
  .object({
    ...busSettings,
    HELM_BINARY: z.string().default('helm'),
    /** Private folder for charts, discovery caches and the files of running tasks; a tmpfs is best. */
    RUNNER_FOLDER: z.string().min(1),
    RUNNER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
    /** Tasks that wait until their release is ready; they take no slot. */
    RUNNER_WAITING: z.coerce.number().int().min(1).max(10_000).default(500),
    /** Concurrent polls of the status of deployments; 0 turns them off at this runner. */
    RUNNER_POLLS: z.coerce.number().int().min(0).max(256).default(32),
    /** Concurrent dry runs for plans; 0 turns them off at this runner. */
    RUNNER_PLANS: z.coerce.number().int().min(0).max(64).default(2),
    /** Concurrent calls for resources; 0 turns them off at this runner. */
    RUNNER_RESOURCE_CALLS: z.coerce.number().int().min(0).max(64).default(16),
    /** Memory limit of one Helm, in MiB. A chart that needs more fails. */
    RUNNER_HELM_MEMORY: z.coerce.number().int().min(96).max(16_384).default(192),
    /** Limit of processor time for rendering a chart, in seconds. */
    RUNNER_HELM_CPU_SECONDS: z.coerce.number().int().min(1).max(600).default(30),
    RUNNER_NAME: z.string().max(200).optional(),
    /** PEM certificates that calls into deployments trust in addition to those of the system. */
    CALL_CA: z.string().optional(),
    /** Where ingress controllers listen. */
    CALL_PORT: z.coerce.number().int().min(1).max(65_535).default(443),
    /** Addresses or CIDR ranges at which deployments may be called although they are loopback, link-local or cloud metadata. */
    CALL_ALLOW_ADDRESSES: Addresses,
    /** Name servers that resolve the hostnames of deployments, as `address` or `address:port`; those of the system unless given. */
    CALL_NAME_SERVERS: NameServers,
  })
  .transform((env) => ({
    bus: busOptions(env),
    helmBinary: env.HELM_BINARY,
    // Helm runs in another working directory, so the path must be absolute.
    folder: resolve(env.RUNNER_FOLDER),
    concurrency: env.RUNNER_CONCURRENCY,
    waiting: env.RUNNER_WAITING,
    polls: env.RUNNER_POLLS,
    plans: env.RUNNER_PLANS,
    resourceCalls: env.RUNNER_RESOURCE_CALLS,
    helm: { memoryBytes: env.RUNNER_HELM_MEMORY * mebibyte, cpuSecs: env.RUNNER_HELM_CPU_SECONDS },
    name: env.RUNNER_NAME,
    calls: {
      ca: env.CALL_CA,
      port: env.CALL_PORT,
      allowAddresses: env.CALL_ALLOW_ADDRESSES,
      nameServers: env.CALL_NAME_SERVERS,
    },
  }));
export type Config = z.output<typeof Config>;
