import { z } from 'zod';

/** Set by the operator on a ClusterRole that a grant may name: without it nobody could be kept from naming `cluster-admin`. */
export const grantableLabel = 'berth.dev/grantable';
/** Set by the operator on a ClusterRole whose deployments need a weaker level of pod security than others. */
export const podSecurityAnnotation = 'berth.dev/pod-security';

/** From the strictest to the weakest. */
export const podSecurityLevels = ['restricted', 'baseline', 'privileged'] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

const ClusterRole = z.object({
  metadata: z.object({
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});

/** What a grant has to know of a ClusterRole; null if the operator has not released it for grants. */
export function grantableRole(found: unknown): { podSecurity: PodSecurityLevel | null } | null {
  const parsed = ClusterRole.safeParse(found).data;
  if (parsed?.metadata.labels[grantableLabel] !== 'true') return null;
  const level = parsed.metadata.annotations[podSecurityAnnotation];
  return { podSecurity: podSecurityLevels.find((known) => known === level) ?? null };
}

/** The weakest of the levels; null if there are none. */
export const weakestLevel = (levels: readonly (PodSecurityLevel | null)[]): PodSecurityLevel | null =>
  podSecurityLevels.findLast((level) => levels.includes(level)) ?? null;
