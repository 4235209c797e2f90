import type { ChartFiles } from '../unusual-charts.ts';
import { account, definition, documents, fullname, role, service, workload } from './parts.ts';

const values = 'image: { repository: example.com/app, tag: "" }\n';
const chartYaml = (name: string, rest = '') =>
  `apiVersion: v2\nname: ${name}\nversion: 4.2.0\nappVersion: "1.27"\ntype: application\n${rest}`;

const webApp: ChartFiles = {
  'Chart.yaml': chartYaml('webapp', 'kubeVersion: ">=1.25.0-0"\n'),
  'values.yaml': `${values}autoscaling: { enabled: true }\nhostname: shop.example.org\n`,
  'templates/_helpers.tpl': `{{- define "webapp.name" -}}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{- end }}\n`,
  'templates/all.yaml': documents(
    account(),
    `apiVersion: v1
kind: ConfigMap
metadata: { name: ${fullname} }
data:
  nginx.conf: |
    {{- .Files.Get "files/nginx.conf" | nindent 4 }}`,
    service({}),
    workload({
      spec: 'revisionHistoryLimit: 3',
      pod: `serviceAccountName: ${fullname}
      volumes: [{ name: config, configMap: { name: ${fullname} } }]`,
      container: 'volumeMounts: [{ name: config, mountPath: /etc/nginx }]',
    }),
    `{{- if .Values.autoscaling.enabled }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: {{ include "webapp.name" . }} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${fullname} }
  minReplicas: 1
  maxReplicas: 5
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }]
{{- end }}`,
    `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ${fullname} }
spec: { maxUnavailable: 1, selector: { matchLabels: { app.kubernetes.io/instance: {{ .Release.Name }} } } }`,
    `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: ${fullname} }
spec:
  podSelector: { matchLabels: { app.kubernetes.io/instance: {{ .Release.Name }} } }
  policyTypes: [Ingress]
  ingress: [{ ports: [{ port: 8080 }] }]`,
    `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${fullname}, annotations: { nginx.ingress.kubernetes.io/proxy-body-size: 8m } }
spec:
  ingressClassName: nginx
  tls: [{ hosts: [{{ .Values.hostname }}], secretName: {{ .Values.hostname }}-tls }]
  rules:
    - host: {{ .Values.hostname | quote }}
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: ${fullname}, port: { name: http } } } }] }`,
  ),
  'templates/NOTES.txt': 'Visit https://{{ .Values.hostname }}\n',
  'templates/tests/connection.yaml': `apiVersion: v1
kind: Pod
metadata: { name: ${fullname}-test, annotations: { helm.sh/hook: test } }
spec: { restartPolicy: Never, containers: [{ name: wget, image: busybox, args: [wget, ${fullname}] }] }
`,
  'files/nginx.conf': 'server {\n  listen 8080;\n}\n',
};

const database: ChartFiles = {
  'Chart.yaml': chartYaml('database'),
  'values.yaml': `${values}auth: { username: app, password: "" }\n`,
  'templates/all.yaml': documents(
    account(),
    `apiVersion: v1
kind: Secret
metadata: { name: ${fullname} }
type: Opaque
{{- $old := lookup "v1" "Secret" .Release.Namespace .Release.Name }}
data:
  password: {{ if $old }}{{ index $old.data "password" }}{{ else }}{{ .Values.auth.password | default (randAlphaNum 16) | b64enc }}{{ end }}`,
    service({ name: `${fullname}-hl`, port: 5432, spec: 'clusterIP: None\n  publishNotReadyAddresses: true' }),
    service({ port: 5432 }),
    workload({
      kind: 'StatefulSet',
      spec: `serviceName: ${fullname}-hl
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }`,
      container: `env: [{ name: PASSWORD, valueFrom: { secretKeyRef: { name: ${fullname}, key: password } } }]
          volumeMounts: [{ name: data, mountPath: /data }]`,
    }),
    `apiVersion: batch/v1
kind: CronJob
metadata: { name: ${fullname}-backup }
spec:
  schedule: "@daily"
  concurrencyPolicy: Forbid
  jobTemplate: { spec: { template: { spec: { restartPolicy: OnFailure, containers: [{ name: dump, image: dump }] } } } }`,
  ),
};

const cache: ChartFiles = {
  'Chart.yaml': chartYaml('cache'),
  'values.yaml': `${values}replicas: 2\n`,
  'templates/all.yaml': documents(
    account(),
    `apiVersion: v1
kind: ConfigMap
metadata: { name: ${fullname}-scripts }
data: { start.sh: "#!/bin/sh\\nexec server --replicaof ${fullname}-master 6379\\n" }`,
    service({ name: `${fullname}-headless`, port: 6379, spec: 'clusterIP: None' }),
    service({ name: `${fullname}-master`, port: 6379 }),
    service({ name: `${fullname}-replicas`, port: 6379 }),
    workload({ name: `${fullname}-master`, kind: 'StatefulSet', spec: `serviceName: ${fullname}-headless` }),
    workload({
      name: `${fullname}-replicas`,
      kind: 'StatefulSet',
      spec: `replicas: {{ .Values.replicas }}\n  serviceName: ${fullname}-headless\n  podManagementPolicy: Parallel`,
    }),
    // As in charts with leader election.
    role('Role', ['{ apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update] }']),
  ),
};

const libraryOfDashboards = `{{- define "common.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
`;

/** An umbrella: a library for its templates, a subchart that is on, and one that a condition turns off. */
const dashboards: ChartFiles = {
  'Chart.yaml': chartYaml(
    'dashboards',
    `dependencies:
  - { name: common, version: 2.x.x, repository: "https://charts.example.com" }
  - { name: store, version: 1.0.0, repository: "https://charts.example.com", condition: store.enabled }
  - { name: images, version: 1.0.0, repository: "https://charts.example.com", condition: images.enabled, alias: renderer }
`,
  ),
  'values.yaml': `${values}store: { enabled: true }\nimages: { enabled: false }\nrenderer: { enabled: false }\nglobal: { team: web }\n`,
  'values.schema.json': JSON.stringify({ type: 'object', properties: { image: { type: 'object' } } }),
  'charts/common/Chart.yaml': 'apiVersion: v2\nname: common\nversion: 2.1.0\ntype: library\n',
  'charts/common/templates/_labels.tpl': libraryOfDashboards,
  'charts/store/Chart.yaml': 'apiVersion: v2\nname: store\nversion: 1.0.0\nappVersion: "2"\n',
  'charts/store/values.yaml': values,
  'charts/store/templates/all.yaml': documents(
    service({ name: `${fullname}-store`, port: 3100 }),
    workload({ name: `${fullname}-store` }),
  ),
  'charts/images/Chart.yaml': 'apiVersion: v2\nname: images\nversion: 1.0.0\n',
  'charts/images/templates/crd.yaml': definition('off.example.com', 'Off'),
  'templates/all.yaml': documents(
    account(),
    `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${fullname}-dashboards
  labels: { team: {{ .Values.global.team }}, {{ include "common.labels" . }} }
data:
  {{- range $path, $_ := .Files.Glob "dashboards/*.json" }}
  {{ base $path }}: {{ $.Files.Get $path | quote }}
  {{- end }}`,
    service({ port: 3000 }),
    workload({ pod: `serviceAccountName: ${fullname}` }),
  ),
  'dashboards/nodes.json': '{"title":"Nodes {{instance}}"}\n',
};

/** Charts in the shape of popular public ones that need nothing beyond their namespace. */
export const chartsWithinNamespace: Readonly<Record<string, ChartFiles>> = {
  webapp: webApp,
  database,
  cache,
  dashboards,
};
