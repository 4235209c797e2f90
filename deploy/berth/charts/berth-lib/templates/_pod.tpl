{{/* Of the chart itself, with the fields that a part replaces; null removes one. `user` is the one of an image that needs its own. */}}
{{- define "berth-lib.pod-security" -}}
{{- $security := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if not .Values.global.runAsAnyUser -}}
{{- $user := int (.user | default 65532) -}}
{{- $security = merge $security (dict "runAsUser" $user "runAsGroup" $user "fsGroup" $user "fsGroupChangePolicy" "OnRootMismatch") -}}
{{- end -}}
{{- include "berth-lib.replaced" (dict "fields" $security "by" .Values.podSecurityContext) -}}
{{- end -}}

{{- define "berth-lib.container-security" -}}
{{- $security := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- include "berth-lib.replaced" (dict "fields" $security "by" .Values.containerSecurityContext) -}}
{{- end -}}

{{- define "berth-lib.replaced" -}}
{{- $fields := deepCopy .fields -}}
{{- range $name, $value := .by -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $fields $name }}{{ else }}{{ $_ := set $fields $name $value }}{{ end -}}
{{- end -}}
{{- toYaml $fields -}}
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
{{- $set = merge (include "berth-lib.outgoing-env" $root | fromYaml) $set -}}
{{- if .ownsRows }}{{- $_ := set $set "NATS_STATE_BYTES" $global.nats.stateBytes -}}{{- end -}}
{{- if include "berth-lib.metrics-tls-secret" $root }}{{- $_ := set $set "HEALTH_TLS_FOLDER" "/run/berth-metrics-tls" -}}{{- end -}}
{{- with $global.tracing.endpoint }}{{- $_ := set $set "OTEL_EXPORTER_OTLP_ENDPOINT" . -}}{{- end -}}
{{- $set = merge (deepCopy (default dict .env)) $set -}}
{{- range $name, $value := $own -}}
{{- if or (hasKey $set $name) (hasKey $set (printf "%s_FILE" $name)) -}}
{{- fail (printf "%s.settings.%s: the chart sets this from its own values; remove it here" $root.Chart.Name $name) -}}
{{- end -}}
{{- $_ := set $set $name $value -}}
{{- end -}}
{{- $taken := keys $set -}}
{{- range .files }}{{ with .env }}{{ $taken = concat $taken (list . (printf "%s_FILE" .)) }}{{ end }}{{ end -}}
{{- range $root.Values.extraEnv -}}
{{- if has .name $taken -}}
{{- fail (printf "%s.extraEnv: the chart sets %s from its own values; remove it here" $root.Chart.Name .name) -}}
{{- end -}}
{{- end -}}
{{- include "berth-lib.env-entries" $set }}
{{- include "berth-lib.secret-env" . }}
{{- with $root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The entries of `env` for a dict of names: each value is a text, or a map for `valueFrom`. */}}
{{- define "berth-lib.env-entries" -}}
{{- range $name := keys . | sortAlpha }}
{{- $value := get $ $name -}}
{{- if kindIs "map" $value }}
- { name: {{ $name }}, valueFrom: {{ toJson $value }} }
{{- else }}
- { name: {{ $name }}{{ with include "berth-lib.text" $value }}, value: {{ quote . }}{{ end }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* Large numbers of YAML are floats for Helm, which would write them with an exponent. */}}
{{- define "berth-lib.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{ printf "%.0f" . }}{{- else -}}{{ toString . }}{{- end -}}
{{- end -}}

{{- define "berth-lib.nats-files" -}}
{{- $files := list (dict "env" "NATS_PASSWORD" "secret" (include "berth-lib.nats-secret" .) "key" .Chart.Name) -}}
{{- if and .Values.global.nats.nkeys (ne .Chart.Name "runner") -}}
{{- $files = append $files (dict "env" "NATS_STREAMS_PASSWORD" "secret" (include "berth-lib.nats-secret" .) "key" (printf "%s-streams" .Chart.Name)) -}}
{{- end -}}
{{- with include "berth-lib.nats-tls-secret" . -}}
{{- $files = append $files (dict "env" "NATS_CA" "secret" . "key" "ca.crt") -}}
{{- end -}}
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
