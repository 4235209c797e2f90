import { z } from 'zod';

/** The operator sets this label on each ClusterRole that grants may name; otherwise anybody could grant `cluster-admin`. */
export const grantableLabel = 'berth.dev/grantable';
/** The operator sets this annotation on a ClusterRole whose deployments need a weaker level of pod security. */
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

/** The settings of a ClusterRole for grants; null if the operator has not released it for grants. */
export function grantableRole(found: unknown): { podSecurity: PodSecurityLevel | null } | null {
  const parsed = ClusterRole.safeParse(found).data;
  if (parsed?.metadata.labels[grantableLabel] !== 'true') return null;
  const level = parsed.metadata.annotations[podSecurityAnnotation];
  return { podSecurity: podSecurityLevels.find((known) => known === level) ?? null };
}

/** The weakest of the levels; null if there are none. */
export const weakestLevel = (levels: readonly (PodSecurityLevel | null)[]): PodSecurityLevel | null =>
  podSecurityLevels.findLast((level) => levels.includes(level)) ?? null;
