/** The labels and annotations by which the runner and cluster-sync know objects of Berth in a cluster. */

export const managedBy = { label: 'app.kubernetes.io/managed-by', value: 'berth' } as const;

/** Of what the runner makes. */
export const managedLabels = { [managedBy.label]: managedBy.value };

/** Of the namespace of a deployment. */
export const namespaceAnnotations = {
  deploymentId: 'berth.dev/deployment-id',
  deploymentName: 'berth.dev/deployment-name',
  kind: 'berth.dev/kind',
  /** The claim that may act in the namespace, `<task>:<fence>`. */
  claim: 'berth.dev/claim',
} as const;

/** The Secret with which the pods of a deployment call back as the deployment. */
export const serviceCreds = 'service-creds';

/** Of the Secret in which Helm keeps a release: the run that made it. */
export const releaseLabels = { task: 'berth-task-id', fence: 'berth-fence' } as const;
