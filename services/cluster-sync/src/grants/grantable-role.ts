import { z } from 'zod';
import type { Rule } from './takeover-of.ts';

/** The operator sets this label on each ClusterRole that grants may name; otherwise anybody could grant `cluster-admin`. */
export const grantableLabel = 'berth.dev/grantable';
/** The operator sets this annotation on a ClusterRole whose deployments need a weaker level of pod security. */
const podSecurityAnnotation = 'berth.dev/pod-security';

/** With this annotation the operator accepts that a ClusterRole amounts to an administrator of the cluster. */
export const takeoverAnnotation = 'berth.dev/cluster-admin';

/** From the strictest to the weakest. */
export const podSecurityLevels = ['restricted', 'baseline', 'privileged'] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

const ClusterRole = z.object({
  metadata: z.object({
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  rules: z
    .array(
      z.object({
        verbs: z.array(z.string()),
        apiGroups: z.array(z.string()).default([]),
        resources: z.array(z.string()).default([]),
      }),
    )
    .nullish()
    .transform((rules) => rules ?? []),
});

interface GrantableRole {
  podSecurity: PodSecurityLevel | null;
  rules: readonly Rule[];
  /** True if the operator accepts that a holder of the role can take over the cluster. */
  isTakeoverMeant: boolean;
}

/** The settings of a ClusterRole for grants; null if the operator has not released it for grants. */
export function grantableRole(found: unknown): GrantableRole | null {
  const parsed = ClusterRole.safeParse(found).data;
  if (parsed?.metadata.labels[grantableLabel] !== 'true') return null;
  const { annotations } = parsed.metadata;
  const level = annotations[podSecurityAnnotation];
  return {
    podSecurity: podSecurityLevels.find((known) => known === level) ?? null,
    rules: parsed.rules,
    isTakeoverMeant: annotations[takeoverAnnotation] === 'accepted',
  };
}

/** The weakest of the levels; null if there are none. */
export const weakestLevel = (levels: readonly (PodSecurityLevel | null)[]): PodSecurityLevel | null =>
  podSecurityLevels.findLast((level) => levels.includes(level)) ?? null;
