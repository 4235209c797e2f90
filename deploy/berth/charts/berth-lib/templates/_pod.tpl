{{- define "berth-lib.pod-security" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "berth-lib.container-security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Files in which a container finds its secrets: a list of { env, secret, key }, and optional ones. */}}
{{- define "berth-lib.secret-volume" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range .files }}
      - secret:
          name: {{ .secret }}
          {{- if .optional }}
          optional: true
          {{- end }}
          items: [{ key: {{ .key | quote }}, path: {{ default .env .path | quote }} }]
      {{- end }}
{{- end -}}

{{- define "berth-lib.secret-env" -}}
{{- range .files }}
{{- if .env }}
- { name: {{ .env }}_FILE, value: /run/berth/{{ default .env .path }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* What every process has; `files` are its secrets, `env` its own settings as a map. */}}
{{- define "berth-lib.env" -}}
{{- $root := .root -}}
{{- $global := $root.Values.global -}}
{{- $own := deepCopy (default dict $root.Values.settings) -}}
{{- $set := dict
  "NODE_ENV" "production"
  "NATS_URL" (include "berth-lib.nats-url" $root)
  "NATS_REPLICAS" $global.nats.replicas
  "HEALTH_PORT" "9090"
  "HEALTH_HOST" $global.listenAddress
  "LOG_LEVEL" $global.logLevel -}}
{{- if .ownsRows }}{{- $_ := set $set "NATS_STATE_BYTES" $global.nats.stateBytes -}}{{- end -}}
{{- with $global.tracing.endpoint }}{{- $_ := set $set "OTEL_EXPORTER_OTLP_ENDPOINT" . -}}{{- end -}}
{{- $set = merge (deepCopy (default dict .env)) $set -}}
{{- range $name, $value := $own -}}
{{- if or (hasKey $set $name) (hasKey $set (printf "%s_FILE" $name)) -}}
{{- fail (printf "%s.settings.%s: the chart sets this from its own values; remove it here" $root.Chart.Name $name) -}}
{{- end -}}
{{- $_ := set $set $name $value -}}
{{- end -}}
{{- range $name := keys $set | sortAlpha }}
- { name: {{ $name }}, value: {{ include "berth-lib.text" (get $set $name) | quote }} }
{{- end }}
{{- include "berth-lib.secret-env" . }}
{{- end -}}

{{/* Large numbers of YAML are floats for Helm, which would write them with an exponent. */}}
{{- define "berth-lib.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{ printf "%.0f" . }}{{- else -}}{{ toString . }}{{- end -}}
{{- end -}}

{{- define "berth-lib.nats-files" -}}
{{- $files := list (dict "env" "NATS_PASSWORD" "secret" (include "berth-lib.nats-secret" .) "key" .Chart.Name) -}}
{{- with .Values.global.nats.ca.existingSecret -}}
{{- $files = append $files (dict "env" "NATS_CA" "secret" . "key" $.Values.global.nats.ca.key) -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{- define "berth-lib.database-files" -}}
{{- $files := list (dict "env" "DATABASE_URL" "secret" (include "berth-lib.database-secret" .) "key" (.Chart.Name | replace "-" "_")) -}}
{{- include "berth-lib.postgresql-ca-files" . | fromYamlArray | concat $files | toYaml -}}
{{- end -}}

{{/* The URLs name the file; nothing reads it from the environment. */}}
{{- define "berth-lib.postgresql-ca-files" -}}
{{- $files := list -}}
{{- with .Values.global.postgresql.ca.existingSecret -}}
{{- $files = append $files (dict "path" "postgresql-ca.crt" "secret" . "key" $.Values.global.postgresql.ca.key) -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{- define "berth-lib.scheduling" -}}
{{- $values := .root.Values -}}
{{- with .root.Values.global.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.topologySpread }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "berth-lib.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end -}}
