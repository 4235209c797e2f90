/** Pieces of templates that most public charts share. */

export const fullname = '{{ .Release.Name }}';
const labels = `app.kubernetes.io/name: {{ .Chart.Name }}
    app.kubernetes.io/instance: {{ .Release.Name }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
    helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}`;

/** Documents of one template file. */
export const documents = (...all: readonly string[]): string => all.map((one) => `${one.trim()}\n`).join('---\n');

interface Named {
  readonly name?: string;
}

export const account = ({ name = fullname }: Named = {}): string => `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  labels:
    ${labels}
automountServiceAccountToken: true`;

export const service = ({
  name = fullname,
  port = 80,
  spec = 'type: ClusterIP',
}: Named & { port?: number; spec?: string }) =>
  `apiVersion: v1
kind: Service
metadata:
  name: ${name}
  labels:
    ${labels}
spec:
  ${spec}
  selector: { app.kubernetes.io/instance: {{ .Release.Name }}, part: ${name} }
  ports: [{ name: http, port: ${port}, targetPort: http }]`;

interface Workload extends Named {
  readonly kind?: 'Deployment' | 'StatefulSet';
  readonly spec?: string;
  readonly container?: string;
  readonly pod?: string;
}

/** A Deployment or StatefulSet of one pod with the security context that public charts set. */
export const workload = ({
  name = fullname,
  kind = 'Deployment',
  spec = 'replicas: 1',
  container = '',
  pod = '',
}: Workload): string => `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: ${name}
  labels:
    ${labels}
spec:
  ${spec}
  selector: { matchLabels: { app.kubernetes.io/instance: {{ .Release.Name }}, part: ${name} } }
  template:
    metadata: { labels: { app.kubernetes.io/instance: {{ .Release.Name }}, part: ${name} } }
    spec:
      securityContext: { runAsNonRoot: true, fsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
      ${pod}
      containers:
        - name: main
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /healthz, port: http } }
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
          resources: { requests: { cpu: 10m, memory: 32Mi }, limits: { memory: 64Mi } }
          ${container}`;

type Scope = 'Role' | 'ClusterRole';

/** A role with these rules (YAML flow) and its binding to the chart's account. */
export const role = (
  scope: Scope,
  rules: readonly string[],
  { name = fullname, account: of = fullname } = {},
): string =>
  documents(
    `apiVersion: rbac.authorization.k8s.io/v1
kind: ${scope}
metadata: { name: ${name} }
rules:
${rules.map((rule) => `  - ${rule}`).join('\n')}`,
    binding(scope, name, { account: of }),
  );

export const binding = (
  scope: Scope,
  roleName: string,
  { name = roleName, namespace = '', account: of = fullname } = {},
) =>
  `apiVersion: rbac.authorization.k8s.io/v1
kind: ${namespace === '' ? `${scope}Binding` : 'RoleBinding'}
metadata: { name: "${name}"${namespace === '' ? '' : `, namespace: ${namespace}`} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${scope}, name: "${roleName}" }
subjects: [{ kind: ServiceAccount, name: ${of}, namespace: {{ .Release.Namespace }} }]`;

export const definition = (group: string, kind: string, rest = ''): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, listKind: ${kind}List, plural: ${kind.toLowerCase()}s, singular: ${kind.toLowerCase()} }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema: { type: object, properties: { spec: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
${rest}`;

/** It applies only to namespaces with the label, so that the cluster works without its pods. */
export const webhook = (kind: 'Mutating' | 'Validating', group: string, resource: string): string =>
  `apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: { name: {{ .Release.Name }} }
webhooks:
  - name: admission.${group}
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    matchPolicy: Equivalent
    namespaceSelector: { matchLabels: { admission: "on" } }
    clientConfig: { service: { name: {{ .Release.Name }}-webhook, namespace: {{ .Release.Namespace }}, path: /validate } }
    rules: [{ apiGroups: [${group}], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [${resource}] }]`;

/** A hook that runs a Job with an account of its own. */
export const hookJob = (name: string, when: string): string => {
  const annotations = (weight: number) =>
    `annotations: { helm.sh/hook: "${when}", helm.sh/hook-weight: "${weight}", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded" }`;
  return documents(
    `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  ${annotations(-5)}`,
    `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ${name}
  ${annotations(-5)}
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get, create] }]`,
    `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: ${name}
  ${annotations(-5)}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name} }
subjects: [{ kind: ServiceAccount, name: ${name}, namespace: {{ .Release.Namespace }} }]`,
    `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  ${annotations(1)}
spec:
  backoffLimit: 1
  template:
    metadata: { name: ${name} }
    spec:
      restartPolicy: OnFailure
      serviceAccountName: ${name}
      containers: [{ name: job, image: "{{ .Values.image.repository }}-job:1", args: [create, "--host={{ .Release.Name }}-webhook"] }]`,
  );
};
