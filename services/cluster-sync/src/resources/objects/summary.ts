import { z } from 'zod';
import type { KindName } from './tracked-kinds.ts';

type Summary = Record<string, string | number | boolean>;

const word = z.string().max(500);
const count = z.number().int().nonnegative().default(0);

const Container = z.object({
  ready: z.boolean().default(false),
  restartCount: count,
});
const Pod = z.object({
  spec: z.object({ nodeName: word.optional() }).optional(),
  status: z
    .object({
      phase: word.default('Pending'),
      containerStatuses: z.array(Container).default([]),
    })
    .optional(),
});
const Service = z.object({
  spec: z.object({
    type: word.default('ClusterIP'),
    ports: z.array(z.object({ port: z.number(), protocol: word.default('TCP') })).default([]),
  }),
});
const Ingress = z.object({
  spec: z.object({ rules: z.array(z.object({ host: word.optional() })).default([]) }).optional(),
});
const Claim = z.object({
  status: z.object({ phase: word.optional(), capacity: z.object({ storage: word.optional() }).optional() }).optional(),
});
const CronJob = z.object({
  spec: z.object({ schedule: word, suspend: z.boolean().default(false) }),
  status: z.object({ lastScheduleTime: word.optional() }).optional(),
});

const maxListed = 20;

/** Lists only the first ones, so that a row stays small and readable. */
const listed = (words: readonly string[]): string =>
  words.length <= maxListed
    ? words.join(', ')
    : `${words.slice(0, maxListed).join(', ')} and ${words.length - maxListed} more`;

const nothing = (): Summary => ({});

/** A few fields for people to read. */
export const summaryOf: Record<KindName, (object: unknown) => Summary> = {
  Pod: (object) => {
    const { spec, status } = Pod.parse(object);
    if (!status) return {};
    const { phase, containerStatuses: containers } = status;
    return {
      phase,
      ready: `${containers.filter(({ ready }) => ready).length}/${containers.length}`,
      restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
      ...(spec?.nodeName !== undefined && { node: spec.nodeName }),
    };
  },
  Service: (object) => {
    const { type, ports } = Service.parse(object).spec;
    return { type, ports: listed(ports.map(({ port, protocol }) => `${port}/${protocol}`)) };
  },
  Ingress: (object) => {
    const rules = Ingress.parse(object).spec?.rules ?? [];
    return { hosts: listed(rules.flatMap(({ host }) => host ?? [])) };
  },
  PersistentVolumeClaim: (object) => {
    const { phase, capacity } = Claim.parse(object).status ?? {};
    return {
      ...(phase !== undefined && { phase }),
      ...(capacity?.storage !== undefined && { size: capacity.storage }),
    };
  },
  CronJob: (object) => {
    const { spec, status } = CronJob.parse(object);
    const { schedule, suspend: suspended } = spec;
    const last = status?.lastScheduleTime;
    return { schedule, suspended, ...(last !== undefined && { last_scheduled_at: last }) };
  },
  Namespace: nothing,
  Deployment: nothing,
  ReplicaSet: nothing,
  StatefulSet: nothing,
  DaemonSet: nothing,
  Job: nothing,
};
