import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { Timestamp } from '../../fields/fields.ts';
import { GrantScope } from './cluster-role-grants.ts';

export const EnteredNamespace = z.strictObject({
  /**
   * `entered`: it belongs to the deployment, and for tasks it names this claim. `terminating`: it belongs to the deployment and
   * is being deleted. `absent`: it does not exist, and the claim may not create it. `foreign`: it belongs to somebody else.
   */
  state: z.enum(['entered', 'terminating', 'absent', 'foreign']),
  /**
   * For `foreign`: whether the deployment had a namespace of this name, which was deleted and made again by somebody else, so nothing
   * of the deployment is in it. Absent from services of the previous version.
   */
  is_replaced: z.boolean().optional(),
  /** Whether this call has created it. */
  is_new: z.boolean(),
  /**
   * With a token of the deployment's own account; for a dry run without a namespace, of an account without rights. Null if the
   * claim may not act: in a foreign namespace, and in a terminating one.
   */
  access: z.strictObject({ kubeconfig: z.string(), expires_at: Timestamp }).nullable(),
  /** The granted ClusterRoles; bound for tasks, only listed for plans. */
  cluster_roles: z.array(z.strictObject({ cluster_role: z.string(), scope: GrantScope })),
  /** Why grants have no effect in this cluster, and who can change that. */
  refused_grants: z.array(z.string()),
  /** Transition: all deployments of the cluster share the account, so excesses are reported and not refused. */
  is_shared_account: z.boolean(),
  /** The namespace existed before: an uninstall leaves it. Absent from owners of the previous version. */
  is_adopted: z.boolean().optional(),
  /** The deployment leaves the cluster for another env, whose members do not see its address. Absent otherwise. */
  is_of_other_env: z.boolean().optional(),
  /** What the cluster warns of when the namespace gets Berth's labels, such as pods that it would no longer admit. */
  warnings: z.array(z.string()).optional(),
});
export type EnteredNamespace = z.infer<typeof EnteredNamespace>;

export const deploymentNamespaces = resource('deployment_namespaces', {
  owner: 'cluster-sync',
  singular: 'namespace',
  operations: {
    enter: operation({
      summary:
        'Make or find the namespace of a claimed task or dry run, let it name the claim, and issue a short-lived kubeconfig that acts in it alone',
      allow: ourServices,
      callers: ['runner'],
      // The claim determines deployment, cluster and namespace; a runner cannot choose them.
      body: z.strictObject({
        ...Claim,
        /** How long the access has to last. Clusters give at least ten minutes; cluster-sync has an upper limit. */
        needed_seconds: z.number().int().min(1).max(86_400),
      }),
      response: EnteredNamespace,
      idempotent: true,
    }),
    remove: operation({
      summary: 'Take one step to delete the namespace of a claimed uninstall; repeated until it is gone',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject(Claim),
      response: z.strictObject({
        gone: z.boolean(),
        /** The cause of the wait, from Kubernetes; null if it is not known. */
        waits_for: z.string().nullable(),
      }),
      idempotent: true,
    }),
  },
});
