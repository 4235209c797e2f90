{{- define "berth-lib.deployment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $global := $values.global -}}
{{- $files := include "berth-lib.nats-files" $root | fromYamlArray -}}
{{- if .usesDatabase }}{{ $files = include "berth-lib.database-files" $root | fromYamlArray | concat $files }}{{ end -}}
{{- $files = concat $files (default list .files) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "berth-lib.metadata" . | nindent 2 }}
  {{- with $values.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $values.revisionHistoryLimit }}
  {{- if $values.strategy }}
  strategy: {{- toYaml $values.strategy | nindent 4 }}
  {{- else }}
  # A new pod is ready before an old one ends.
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  {{- end }}
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
        # Secrets are read at the start.
        checksum/secrets: {{ include "berth-lib.secrets-checksum" (dict "root" $root "files" (include "berth-lib.proxy-secrets" $root | fromYamlArray | concat $files)) }}
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
      {{- range $name, $field := $values.podSpec }}
      {{- if or (has $name (list "containers" "initContainers" "volumes" "serviceAccountName" "automountServiceAccountToken" "enableServiceLinks" "terminationGracePeriodSeconds" "securityContext" "imagePullSecrets" "priorityClassName" "nodeSelector" "tolerations" "affinity")) (and $values.topologySpread (eq $name "topologySpreadConstraints")) }}
      {{- fail (printf "%s.podSpec.%s: the chart sets this from its own values; remove it here" $root.Chart.Name $name) }}
      {{- end }}
      {{- dict $name $field | toYaml | nindent 6 }}
      {{- end }}
      {{- $waits := and .usesDatabase (include "berth-lib.makes-database" $root) }}
      {{- if or $waits $values.extraInitContainers }}
      initContainers:
      {{- end }}
      {{- if $waits }}
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
        {{- with $values.extraInitContainers }}
        {{- toYaml . | nindent 8 }}
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
          {{- with $values.extraEnvFrom }}
          envFrom: {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            - { name: metrics, containerPort: 9090 }
            {{- range .ports }}
            - { name: {{ .name }}, containerPort: {{ .port }} }
            {{- end }}
          {{- $probed := dict "port" "metrics" }}
          {{- $metricsTls := include "berth-lib.metrics-tls-secret" $root }}
          {{- if $metricsTls }}{{ $_ := set $probed "scheme" "HTTPS" }}{{ end }}
          {{- $alive := merge (dict "path" "/healthz") $probed }}
          {{- $ready := merge (dict "path" "/readyz") $probed }}
          startupProbe: {{- include "berth-lib.replaced" (dict "fields" (dict "httpGet" $alive "periodSeconds" 2 "timeoutSeconds" 3 "failureThreshold" 60) "by" $values.probes.startup) | nindent 12 }}
          livenessProbe: {{- include "berth-lib.replaced" (dict "fields" (dict "httpGet" $alive "periodSeconds" 10 "timeoutSeconds" 5 "failureThreshold" 6) "by" $values.probes.liveness) | nindent 12 }}
          readinessProbe: {{- include "berth-lib.replaced" (dict "fields" (dict "httpGet" $ready "periodSeconds" 5 "timeoutSeconds" 5 "failureThreshold" 2) "by" $values.probes.readiness) | nindent 12 }}
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
            {{- if $metricsTls }}
            - { name: metrics-tls, mountPath: /run/berth-metrics-tls, readOnly: true }
            {{- end }}
            {{- include "berth-lib.ca-mounts" $root | nindent 12 }}
            {{- with concat (default list .mounts) $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- include "berth-lib.secret-volume" (dict "files" $files) | nindent 8 }}
        - { name: tmp, emptyDir: { sizeLimit: 256Mi } }
        - { name: data, emptyDir: { {{ with $values.data.medium }}medium: {{ . }}, {{ end }}sizeLimit: {{ $values.data.size }} } }
        {{- with include "berth-lib.metrics-tls-secret" $root }}
        # Without its authority; a renewed certificate arrives in the files.
        - { name: metrics-tls, secret: { secretName: {{ . }}, defaultMode: 0440, items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }] } }
        {{- end }}
        {{- include "berth-lib.ca-volumes" $root | nindent 8 }}
        {{- with concat (default list .volumes) $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}
