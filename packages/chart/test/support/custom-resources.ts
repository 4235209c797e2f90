/** Custom resources of operators that accept any content: enough to check that the API server accepts the chart's objects. */
export const customKinds = [
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PrometheusRule', plural: 'prometheusrules' },
  { group: 'keda.sh', version: 'v1alpha1', kind: 'ScaledObject', plural: 'scaledobjects' },
  { group: 'gateway.networking.k8s.io', version: 'v1', kind: 'HTTPRoute', plural: 'httproutes' },
  { group: 'gateway.networking.k8s.io', version: 'v1', kind: 'BackendTLSPolicy', plural: 'backendtlspolicies' },
  { group: 'cert-manager.io', version: 'v1', kind: 'Certificate', plural: 'certificates' },
  { group: 'postgresql.cnpg.io', version: 'v1', kind: 'Cluster', plural: 'clusters' },
];

export const customResources = customKinds.map(({ group, version, kind, plural }) => ({
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  object: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Required for groups that belong to Kubernetes.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  },
}));
