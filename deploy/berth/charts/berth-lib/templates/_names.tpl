{{/* All helpers take the root of a chart, or a dict whose `root` is one. */}}

{{- define "berth-lib.name" -}}
{{- .Values.global.nameOverride | default "berth" -}}
{{- end -}}

{{- define "berth-lib.fullname" -}}
{{- $name := include "berth-lib.name" . -}}
{{- if .Values.global.fullnameOverride -}}
{{- .Values.global.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc 34 | trimSuffix "-") $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Objects outside of namespaces have the namespace in their names: two releases may have one name. */}}
{{- define "berth-lib.cluster-name" -}}
{{- printf "%s-%s" .Release.Namespace (include "berth-lib.fullname" .) -}}
{{- end -}}

{{- define "berth-lib.selector" -}}
{{ include "berth-lib.selector-of-release" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Selects every pod of the release. */}}
{{- define "berth-lib.selector-of-release" -}}
app.kubernetes.io/name: {{ include "berth-lib.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "berth-lib.version" -}}
{{- .Values.global.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{- define "berth-lib.labels" -}}
{{ include "berth-lib.selector" . }}
app.kubernetes.io/part-of: berth
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ include "berth-lib.version" .root | trunc 63 | trimAll "-_." | quote }}
helm.sh/chart: berth-{{ .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.global.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "berth-lib.part-name" -}}
{{ include "berth-lib.fullname" .root }}-{{ .component }}
{{- end -}}

{{- define "berth-lib.metadata" -}}
name: {{ include "berth-lib.part-name" . }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "berth-lib.labels" . | nindent 2 }}
{{- end -}}

{{- define "berth-lib.image" -}}
{{- $global := .root.Values.global.image -}}
{{- $image := printf "berth-%s" .component -}}
{{- $image = printf "%s/%s" (trimSuffix "/" $global.registry) $image -}}
{{- with index $global.digests .component -}}
{{- printf "%s@%s" $image . -}}
{{- else -}}
{{- printf "%s:%s" $image (include "berth-lib.version" .root) -}}
{{- end -}}
{{- end -}}

{{/* Of the gateway: how its Service is reached inside of the cluster. Both take the values of api-gateway. */}}
{{- define "berth-lib.gateway-scheme" -}}
{{- ternary "https" "http" (ne .tls.existingSecret "") -}}
{{- end -}}

{{- define "berth-lib.gateway-port" -}}
{{- $usual := ternary 443 80 (ne .tls.existingSecret "") -}}
{{- int .service.port | default $usual -}}
{{- end -}}

{{- define "berth-lib.nats-url" -}}
{{- if .Values.global.nats.bundled -}}
{{ ternary "tls" "nats" (ne (include "berth-lib.nats-tls-secret" .) "") }}://{{ include "berth-lib.fullname" . }}-nats.{{ .Release.Namespace }}.svc:4222
{{- else -}}
{{- .Values.global.nats.url -}}
{{- end -}}
{{- end -}}

{{/* Of a bundled NATS: the Secret with its certificate, nothing without TLS. */}}
{{- define "berth-lib.nats-tls-secret" -}}
{{- with .Values.global.nats.tls -}}
{{- .existingSecret | default (ternary (printf "%s-nats-tls" (include "berth-lib.fullname" $)) "" (hasKey .issuerRef "name")) -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the certificate of metrics and probes, nothing without TLS. */}}
{{- define "berth-lib.metrics-tls-secret" -}}
{{- with .Values.global.metricsTls -}}
{{- .existingSecret | default (ternary (printf "%s-metrics-tls" (include "berth-lib.fullname" $)) "" (hasKey .issuerRef "name")) -}}
{{- end -}}
{{- end -}}

{{/* Takes the values `certificate`, which cert-manager makes for `dnsNames`, and `usages`. */}}
{{- define "berth-lib.certificate" -}}
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" (dict "root" .root "component" .component) | nindent 4 }}
spec:
  secretName: {{ .secret }}
  issuerRef: {{- toYaml .certificate.issuerRef | nindent 4 }}
  {{- with .certificate.duration }}
  duration: {{ . }}
  {{- end }}
  privateKey: { rotationPolicy: Always }
  {{- with .usages }}
  usages: {{- toYaml . | nindent 4 }}
  {{- end }}
  dnsNames: {{- toYaml .dnsNames | nindent 4 }}
{{- end -}}

{{- define "berth-lib.nats-secret" -}}
{{- default (printf "%s-nats-passwords" (include "berth-lib.fullname" .)) .Values.global.nats.existingSecret -}}
{{- end -}}

{{- define "berth-lib.keys-secret" -}}
{{- default (printf "%s-keys" (include "berth-lib.fullname" .)) .Values.global.keys.existingSecret -}}
{{- end -}}

{{- define "berth-lib.database-secret" -}}
{{- default (printf "%s-database" (include "berth-lib.fullname" .)) .Values.global.postgresql.existingSecret -}}
{{- end -}}

{{/* Whether the chart makes roles and schemas, so that a service may start before they exist. */}}
{{- define "berth-lib.makes-database" -}}
{{- if or .Values.global.postgresql.bundled .Values.global.postgresql.admin.existingSecret -}}true{{- end -}}
{{- end -}}

{{- define "berth-lib.account-of-deployments" -}}
{{ include "berth-lib.fullname" . }}-deployments
{{- end -}}
