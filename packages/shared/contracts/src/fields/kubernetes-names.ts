/** The labels and annotations by which the runner and cluster-sync recognise objects of Berth in a cluster. */

export const managedBy = { label: 'app.kubernetes.io/managed-by', value: 'berth' } as const;

/** On objects that the runner creates. */
export const managedLabels = { [managedBy.label]: managedBy.value };

/** On the namespace of a deployment. All but `claim` and `mark` are for people: whose it is lies in the records of cluster-sync. */
export const namespaceAnnotations = {
  deploymentId: 'berth.dev/deployment-id',
  deploymentName: 'berth.dev/deployment-name',
  kind: 'berth.dev/kind',
  /** The claim that may act in the namespace, as `holderOf` writes it. */
  claim: 'berth.dev/claim',
  /** Which creation of a namespace this is: cluster-sync recorded it before. */
  mark: 'berth.dev/mark',
  /** The hostname of the deployment, the only one below the ingress domain that `deploy/rbac/hostnames-policy.yaml` allows it. */
  hostname: 'berth.dev/hostname',
} as const;

/** How a namespace names the claim that may act in it. */
export const holderOf = ({ task_id, fence }: { readonly task_id: string; readonly fence: number }): string =>
  `${task_id}:${fence}`;

/** The Secret with the token that the pods of a deployment use to call Berth. */
export const serviceCreds = 'service-creds';

/** The same contents under the name by which charts of the upstream project know them. */
export const upstreamCredentials = 'platz-creds';

/** On the Secret in which Helm stores a release: the run that created it. */
export const releaseLabels = { task: 'berth-task-id', fence: 'berth-fence' } as const;
