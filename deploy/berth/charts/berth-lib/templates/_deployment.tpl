{{- define "berth-lib.deployment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $global := $values.global -}}
{{- $files := include "berth-lib.nats-files" $root | fromYamlArray -}}
{{- if .usesDatabase }}{{ $files = include "berth-lib.database-files" $root | fromYamlArray | concat $files }}{{ end -}}
{{- $files = concat $files (default list .files) -}}
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "berth-lib.metadata" . | nindent 2 }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  # A new pod is ready before an old one ends.
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector:
    matchLabels: {{- include "berth-lib.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "berth-lib.labels" . | nindent 8 }}
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
      serviceAccountName: {{ include "berth-lib.part-name" . }}
      automountServiceAccountToken: {{ or .hasToken false }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .grace }}
      securityContext: {{- include "berth-lib.pod-security" $root | nindent 8 }}
      {{- include "berth-lib.scheduling" . | nindent 6 }}
      {{- if and .usesDatabase (include "berth-lib.makes-database" $root) }}
      initContainers:
        - name: wait-for-database
          image: {{ include "berth-lib.image" . }}
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
        - name: {{ .component }}
          image: {{ include "berth-lib.image" . }}
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
{{- end -}}
