import { testChartFiles } from './probe-chart.ts';

/** A chart with the usual kinds of objects, including hooks and a role of its own. */
export const usualChartFiles: Record<string, string> = {
  ...testChartFiles,
  'templates/usual.yaml': `apiVersion: v1
kind: ServiceAccount
metadata: { name: web }
---
apiVersion: v1
kind: Secret
metadata: { name: web }
stringData: { text: {{ .Values.text | quote }} }
---
{{ if .Values.bringsUpstream }}
apiVersion: v1
kind: Secret
metadata: { name: platz-creds }
stringData: { access_token: of the chart }
---
{{ end }}
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: web }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Mi } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }, annotations: { text: {{ .Values.text | quote }} } }
    spec:
      serviceAccountName: web
      containers: [{ name: web, image: web }]
      volumes: [{ name: service-creds, secret: { secretName: service-creds } }]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: store }
spec:
  replicas: 1
  serviceName: web
  selector: { matchLabels: { app: store } }
  template: { metadata: { labels: { app: store } }, spec: { containers: [{ name: store, image: store }] } }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template: { metadata: { labels: { app: agent } }, spec: { containers: [{ name: agent, image: agent }] } }
---
apiVersion: batch/v1
kind: Job
metadata: { name: migrate, annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation } }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: migrate, image: migrate }] } } }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: nightly, image: nightly }] } } } }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec: { rules: [{ host: web.example.com }] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web }
spec: { podSelector: {} }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: web } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }, maxReplicas: 2 }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: web }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: web }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: web }
subjects: [{ kind: ServiceAccount, name: web }]
`,
  'templates/cluster.yaml': `{{- if .Values.clusterScoped }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: {{ .Release.Name }} }
rules: []
{{- end }}
`,
};
