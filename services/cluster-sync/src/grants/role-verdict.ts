import type { GrantScope } from '@berth/contracts/resources/clusters/cluster-role-grants';
import { z } from 'zod';
import { type PodSecurityLevel, podSecurityLevels } from '../namespaces/pod-security.ts';
import { takeoverOf } from './takeover-of.ts';

/** The operator sets this label on each ClusterRole that grants may name; otherwise anybody could grant `cluster-admin`. */
const grantableLabel = 'berth.dev/grantable';
/** The operator sets this annotation on a ClusterRole whose deployments need a weaker level of pod security. */
const podSecurityAnnotation = 'berth.dev/pod-security';
/** With this annotation the operator accepts that a ClusterRole amounts to an administrator of the cluster. */
const takeoverAnnotation = 'berth.dev/cluster-admin';

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

/** The role as far as a binding needs it, or why it must not be bound: a sentence that says who can change that. */
export type RoleVerdict = { readonly podSecurity: PodSecurityLevel | null } | { readonly refused: string };

/** Decides whether a ClusterRole of the cluster may be bound for a grant; `found` is null if there is none. */
export function roleVerdict(
  found: unknown,
  { cluster_role, scope }: { readonly cluster_role: string; readonly scope: GrantScope },
): RoleVerdict {
  if (found === null)
    return {
      refused: `The cluster has no ClusterRole ${cluster_role}, which a grant names: an operator of the cluster creates it, or a site admin revokes the grant`,
    };
  const role = ClusterRole.safeParse(found).data;
  if (role?.metadata.labels[grantableLabel] !== 'true')
    return {
      refused: `The ClusterRole ${cluster_role}, which a grant names, lacks the label ${grantableLabel}: "true": an operator of the cluster sets it, or a site admin revokes the grant`,
    };
  const { annotations } = role.metadata;
  const takeover = annotations[takeoverAnnotation] === 'accepted' ? null : takeoverOf(role.rules, scope);
  if (takeover !== null)
    return {
      refused: `The ClusterRole ${cluster_role}, which a grant names, amounts to an administrator of the cluster: it gives ${takeover}. An operator of the cluster narrows it, or sets the annotation ${takeoverAnnotation}: accepted`,
    };
  const level = annotations[podSecurityAnnotation];
  return { podSecurity: podSecurityLevels.find((known) => known === level) ?? null };
}
