import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';

/**
 * The annotations that are shown: those of Kubernetes, Helm and Berth, and those that say how an object is treated. Others may hold
 * anything that a chart writes, including secrets and their digests.
 */
const shown: ReadonlySet<string> = new Set([
  namespaceAnnotations.deploymentId,
  namespaceAnnotations.deploymentName,
  namespaceAnnotations.kind,
  'batch.kubernetes.io/job-completion-index',
  'batch.kubernetes.io/job-tracking',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'controller.kubernetes.io/pod-deletion-cost',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
  'helm.sh/hook',
  'helm.sh/hook-delete-policy',
  'helm.sh/hook-weight',
  'helm.sh/resource-policy',
  'ingressclass.kubernetes.io/is-default-class',
  'kubectl.kubernetes.io/default-container',
  'kubectl.kubernetes.io/restartedAt',
  'kubernetes.io/ingress.class',
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  'prometheus.io/port',
  'prometheus.io/scrape',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.kubernetes.io/selected-node',
  'volume.kubernetes.io/storage-provisioner',
]);

const maxCharacters = 500;

export const shownAnnotations = (annotations: JsonValue): JsonObject =>
  isJsonObject(annotations)
    ? Object.fromEntries(
        Object.entries(annotations).filter(
          ([name, value]) => shown.has(name) && typeof value === 'string' && value.length <= maxCharacters,
        ),
      )
    : {};
