import type { ChartFiles } from '../unusual-charts.ts';
import {
  account,
  binding,
  definition,
  documents,
  fullname,
  hookJob,
  role,
  service,
  webhook,
  workload,
} from './parts.ts';

const values = 'image: { repository: example.com/controller, tag: "" }\n';
const chartYaml = (name: string) => `apiVersion: v2\nname: ${name}\nversion: 1.4.0\nappVersion: "1.4"\n`;
const pod = `serviceAccountName: ${fullname}`;
const leases = '{ apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create, update] }';
const events = '{ apiGroups: [""], resources: [events], verbs: [create, patch] }';
const read = (group: string, resources: string) =>
  `{ apiGroups: ["${group}"], resources: [${resources}], verbs: [get, list, watch] }`;

const ingressController: ChartFiles = {
  'Chart.yaml': chartYaml('ingress-controller'),
  'values.yaml': values,
  'templates/all.yaml': documents(
    account(),
    role('ClusterRole', [
      read('', 'configmaps, endpoints, nodes, pods, secrets, namespaces, services'),
      read('networking.k8s.io', 'ingresses, ingressclasses'),
      '{ apiGroups: [networking.k8s.io], resources: [ingresses/status], verbs: [update] }',
      read('discovery.k8s.io', 'endpointslices'),
      events,
    ]),
    role('Role', [leases], { name: `${fullname}-leader` }),
    'apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: { name: nginx }\nspec: { controller: k8s.io/ingress-nginx }',
    service({ spec: 'type: NodePort\n  externalTrafficPolicy: Local' }),
    service({ name: `${fullname}-webhook`, port: 443 }),
    workload({ pod }),
    webhook('Validating', 'networking.k8s.io', 'ingresses'),
    hookJob(`${fullname}-certificates`, 'pre-install,pre-upgrade'),
  ),
};

const certGroup = 'certs.example.com';
const certificates: ChartFiles = {
  'Chart.yaml': chartYaml('certificates'),
  'values.yaml': values,
  'templates/definitions.yaml': documents(definition(certGroup, 'Certificate'), definition(certGroup, 'Issuer')),
  'templates/all.yaml': documents(
    account(),
    role('ClusterRole', [
      `{ apiGroups: [${certGroup}], resources: ["*"], verbs: [get, list, watch, create, update, patch, delete] }`,
      '{ apiGroups: [""], resources: [secrets], verbs: [get, list, watch, create, update, delete, patch] }',
      '{ apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations], verbs: [get, list, watch, update, patch] }',
      events,
    ]),
    role('Role', [leases], { name: `${fullname}-leader` }),
    service({ name: `${fullname}-webhook`, port: 443 }),
    workload({ pod }),
    workload({ name: `${fullname}-webhook`, pod }),
    workload({ name: `${fullname}-injector`, pod }),
    webhook('Validating', certGroup, 'certificates'),
    webhook('Mutating', certGroup, 'certificates'),
    hookJob(`${fullname}-check`, 'post-install'),
  ),
};

const monitoringGroup = 'monitoring.example.com';
const monitoring: ChartFiles = {
  'Chart.yaml': chartYaml('monitoring'),
  'values.yaml': values,
  'crds/monitors.yaml': documents(definition(monitoringGroup, 'Monitor'), definition(monitoringGroup, 'Alert')),
  'templates/all.yaml': documents(
    account(),
    role('ClusterRole', [
      `{ apiGroups: [${monitoringGroup}], resources: [monitors, alerts], verbs: [get, list, watch, create, update, patch, delete] }`,
      read('', 'endpoints, nodes, pods, services, namespaces'),
    ]),
    service({ port: 9090 }),
    workload({ pod }),
    `apiVersion: ${monitoringGroup}/v1
kind: Monitor
metadata: { name: ${fullname} }
spec: { selector: { matchLabels: { app.kubernetes.io/instance: {{ .Release.Name }} } }, endpoints: [{ port: http }] }`,
    `apiVersion: ${monitoringGroup}/v1
kind: Alert
metadata: { name: ${fullname} }
spec: { groups: [{ name: up, rules: [{ alert: Down, expr: 'up == 0', annotations: { summary: "{{ "{{ $labels.job }}" }}" } }] }] }`,
  ),
};

const metricsServer: ChartFiles = {
  'Chart.yaml': chartYaml('metrics-server'),
  'values.yaml': values,
  'templates/all.yaml': documents(
    account(),
    role('ClusterRole', [
      read('', 'nodes, pods, namespaces, configmaps'),
      '{ apiGroups: [""], resources: [nodes/metrics], verbs: [get] }',
    ]),
    binding('ClusterRole', 'system:auth-delegator', { name: `${fullname}-delegator` }),
    binding('Role', 'extension-apiserver-authentication-reader', {
      name: `${fullname}-reader`,
      namespace: 'kube-system',
    }),
    service({ port: 443 }),
    workload({ pod }),
    `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.metrics.k8s.io }
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: { name: ${fullname}, namespace: {{ .Release.Namespace }}, port: 443 }`,
  ),
};

const dns: ChartFiles = {
  'Chart.yaml': chartYaml('dns'),
  'values.yaml': values,
  'templates/all.yaml': documents(
    account(),
    role('ClusterRole', [
      read('', 'endpoints, nodes, pods, services'),
      read('networking.k8s.io', 'ingresses'),
      read('discovery.k8s.io', 'endpointslices'),
    ]),
    service({ port: 7979 }),
    workload({ spec: 'replicas: 1\n  strategy: { type: Recreate }', pod }),
  ),
};

const descheduler: ChartFiles = {
  'Chart.yaml': chartYaml('descheduler'),
  'values.yaml': values,
  'templates/all.yaml': documents(
    account(),
    role('ClusterRole', [
      read('', 'nodes, namespaces, pods'),
      '{ apiGroups: [""], resources: [pods/eviction], verbs: [create] }',
      read('scheduling.k8s.io', 'priorityclasses'),
      events,
    ]),
    `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: {{ .Release.Name }} }
value: 1000`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: policy }\ndata: { policy.yaml: "profiles: []" }',
    `apiVersion: batch/v1
kind: CronJob
metadata: { name: ${fullname} }
spec:
  schedule: "*/2 * * * *"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: ${fullname}
          restartPolicy: Never
          priorityClassName: {{ .Release.Name }}
          containers: [{ name: descheduler, image: "{{ .Values.image.repository }}:1", args: [--policy-config-file, /policy/policy.yaml] }]`,
  ),
};

/** Charts in the shape of popular public ones that need a grant: the ClusterRole of the same name in `deploy/rbac/grants-of-usual-charts.yaml`. */
export const chartsBeyondNamespace: Readonly<Record<string, ChartFiles>> = {
  'ingress-controller': ingressController,
  certificates,
  monitoring,
  dns,
  descheduler,
  'metrics-server': metricsServer,
};
