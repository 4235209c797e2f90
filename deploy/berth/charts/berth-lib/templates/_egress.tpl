{{- define "berth-lib.dns-egress" -}}
- ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end -}}

{{/* Where PostgreSQL is: beside, or wherever the values say, on its port. */}}
{{- define "berth-lib.database-egress" -}}
{{- $postgresql := .Values.global.postgresql -}}
- ports: [{ port: {{ ternary 5432 (int $postgresql.port) $postgresql.bundled }}, protocol: TCP }]
  {{- if $postgresql.bundled }}
  to:
    - podSelector:
        matchLabels: {{- include "berth-lib.selector" (dict "root" . "component" "postgresql") | nindent 10 }}
    - podSelector:
        matchLabels: { cnpg.io/cluster: {{ include "berth-lib.fullname" . }}-postgresql }
  {{- else }}
  {{- with .Values.global.networkPolicy.postgresql }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}

{{- define "berth-lib.nats-egress" -}}
{{- if .Values.global.nats.bundled -}}
- ports: [{ port: 4222, protocol: TCP }]
  to:
    - podSelector:
        matchLabels: {{- include "berth-lib.selector" (dict "root" . "component" "nats") | nindent 10 }}
{{- else -}}
- ports:
    {{- range splitList "," .Values.global.nats.url }}
    - { port: {{ default "4222" (regexFind "[0-9]+$" (trimSuffix "/" (trim .))) }}, protocol: TCP }
    {{- end }}
  {{- with .Values.global.networkPolicy.nats }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "berth-lib.proxy-egress" -}}
{{- $proxies := compact (list .Values.global.proxy.https .Values.global.proxy.http) -}}
{{- if $proxies }}
- ports:
    {{- $ports := list }}
    {{- range $proxies }}{{ $ports = append $ports (include "berth-lib.port-of-url" .) }}{{ end }}
    {{- range uniq $ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with .Values.global.networkPolicy.proxy }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}
