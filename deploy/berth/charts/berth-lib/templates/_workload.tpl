{{/*
A Deployment with its account, autoscaler, disruption budget and network policy. Of `part`:
  env, files         settings, and secrets as files
  ports              further container ports: { name, port }
  volumes, mounts    further ones
  usesDatabase       whether it has a schema of its own
  hasToken           whether it calls the API server of its own cluster
  grace, preStop     seconds until it is killed; seconds that it still serves after its end is announced
  ingress, egress    rules of its network policy, beside metrics, DNS and NATS
*/}}
{{- define "berth-lib.workload" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $global := $values.global -}}
{{- $component := $root.Chart.Name -}}
{{- $name := printf "%s-%s" (include "berth-lib.fullname" $root) $component -}}
{{- $labels := dict "root" $root "component" $component -}}
{{- $files := include "berth-lib.nats-files" $root | fromYamlArray -}}
{{- if .usesDatabase }}{{ $files = include "berth-lib.database-files" $root | fromYamlArray | concat $files }}{{ end -}}
{{- $files = concat $files (default list .files) -}}
{{- $autoscaled := or $values.autoscaling.enabled false -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" $labels | nindent 4 }}
  {{- with $values.serviceAccount.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" $labels | nindent 4 }}
spec:
  {{- if not $autoscaled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  # A new pod is ready before an old one ends.
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector:
    matchLabels: {{- include "berth-lib.selector" $labels | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "berth-lib.labels" $labels | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        {{- if .usesDatabase }}
        # The URL is a file, which is read at the start.
        checksum/database: {{ pick $global.postgresql "bundled" "host" "port" "database" "sslMode" "rolePrefix" "existingSecret" | toJson | sha256sum }}
        {{- end }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: {{ or .hasToken false }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .grace }}
      securityContext: {{- include "berth-lib.pod-security" $root | nindent 8 }}
      {{- include "berth-lib.scheduling" $labels | nindent 6 }}
      {{- if and .usesDatabase (include "berth-lib.makes-database" $root) }}
      initContainers:
        - name: wait-for-database
          image: {{ include "berth-lib.image" $labels }}
          imagePullPolicy: {{ $global.image.pullPolicy }}
          args: [wait-for-database]
          env:
            - { name: LOG_LEVEL, value: {{ $global.logLevel | quote }} }
            {{- include "berth-lib.secret-env" (dict "files" (include "berth-lib.database-files" $root | fromYamlArray)) | nindent 12 }}
          securityContext: {{- include "berth-lib.container-security" $root | nindent 12 }}
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /run/berth, readOnly: true }
            - { name: tmp, mountPath: /tmp }
      {{- end }}
      containers:
        - name: {{ $component }}
          image: {{ include "berth-lib.image" $labels }}
          imagePullPolicy: {{ $global.image.pullPolicy }}
          env:
            {{- include "berth-lib.env" (dict "root" $root "env" .env "files" $files "ownsRows" .usesDatabase) | nindent 12 }}
            {{- if .namedAfterPod }}
            - { name: RUNNER_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
            {{- end }}
          ports:
            - { name: metrics, containerPort: 9090 }
            {{- range .ports }}
            - { name: {{ .name }}, containerPort: {{ .port }} }
            {{- end }}
          startupProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: metrics }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          {{- with .preStop }}
          # Connections still arrive until every proxy has read that this pod ends.
          lifecycle: { preStop: { sleep: { seconds: {{ . }} } } }
          {{- end }}
          securityContext: {{- include "berth-lib.container-security" $root | nindent 12 }}
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /run/berth, readOnly: true }
            - { name: tmp, mountPath: /tmp }
            - { name: data, mountPath: /data }
            {{- with .mounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        {{- include "berth-lib.secret-volume" (dict "files" $files) | nindent 8 }}
        - { name: tmp, emptyDir: { sizeLimit: 256Mi } }
        - { name: data, emptyDir: { {{ with $values.data.medium }}medium: {{ . }}, {{ end }}sizeLimit: {{ $values.data.size }} } }
        {{- with .volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- if and $autoscaled (ne (default "cpu" $values.autoscaling.by) "keda") }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" $labels | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ $values.autoscaling.minReplicas }}
  maxReplicas: {{ $values.autoscaling.maxReplicas }}
  metrics:
    {{- if eq (default "cpu" $values.autoscaling.by) "external" }}
    - type: External
      external:
        metric: { name: {{ $values.autoscaling.external.metric | quote }} }
        target: { type: AverageValue, averageValue: {{ $values.autoscaling.tasksPerReplica | quote }} }
    {{- else }}
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $values.autoscaling.targetCPUUtilizationPercentage }} }
    {{- end }}
{{- end }}
{{- if and $values.podDisruptionBudget.enabled (or (and $autoscaled (gt (int $values.autoscaling.minReplicas) 1)) (and (not $autoscaled) (gt (int $values.replicas) 1))) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" $labels | nindent 4 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "berth-lib.selector" $labels | nindent 6 }}
{{- end }}
{{- if $global.networkPolicy.enabled }}
---
{{ include "berth-lib.network-policy" (dict "root" $root "component" $component "ingress" .ingress "egress" .egress "usesNats" true "usesDatabase" .usesDatabase) }}
{{- end }}
{{- if and .usesDatabase $root.Release.IsUpgrade }}
---
{{ include "berth-lib.admin-job" (dict "root" $root "component" $component "job" "migrate" "command" "migrate" "weight" "0" "files" (include "berth-lib.database-files" $root | fromYamlArray)) }}
{{- end }}
{{- end -}}

{{/* One command of `berth-admin`: before an upgrade as a hook; with an installation beside the services, which wait for it. */}}
{{- define "berth-lib.admin-job" -}}
{{- $root := .root -}}
{{- $global := $root.Values.global -}}
{{- $labels := dict "root" $root "component" (printf "%s-%s" .component .job) -}}
{{- $image := dict "root" $root "component" .component -}}
{{- $name := printf "%s-%s-%s" (include "berth-lib.fullname" $root) .component .job -}}
{{- if not $root.Release.IsUpgrade -}}
{{- $name = printf "%s-%s" $name (printf "%s %s" (include "berth-lib.image" $image) (toJson .files) | sha256sum | trunc 8) -}}
{{- end -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" $labels | nindent 4 }}
  {{- if $root.Release.IsUpgrade }}
  annotations:
    helm.sh/hook: pre-upgrade
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
  {{- end }}
spec:
  backoffLimit: 6
  activeDeadlineSeconds: 900
  template:
    metadata:
      labels:
        {{- include "berth-lib.labels" $labels | nindent 8 }}
        berth.dev/uses-database: "true"
    spec:
      restartPolicy: OnFailure
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext: {{- include "berth-lib.pod-security" $root | nindent 8 }}
      {{- with $global.image.pullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .job }}
          image: {{ include "berth-lib.image" $image }}
          imagePullPolicy: {{ $global.image.pullPolicy }}
          args: [{{ .command }}]
          env:
            - { name: NODE_ENV, value: production }
            - { name: LOG_LEVEL, value: {{ $global.logLevel | quote }} }
            {{- include "berth-lib.secret-env" (dict "files" .files) | nindent 12 }}
          securityContext: {{- include "berth-lib.container-security" $root | nindent 12 }}
          resources: {{- toYaml $global.jobs.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /run/berth, readOnly: true }
            - { name: tmp, mountPath: /tmp }
      volumes:
        {{- include "berth-lib.secret-volume" (dict "files" .files) | nindent 8 }}
        - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end -}}
