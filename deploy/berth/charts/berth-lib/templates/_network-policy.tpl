{{- define "berth-lib.network-policy" -}}
{{- $root := .root -}}
{{- $policy := $root.Values.global.networkPolicy -}}
{{- if $policy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{- include "berth-lib.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels: {{- include "berth-lib.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: [{ port: 9090, protocol: TCP }]
      from: {{- toYaml $policy.metricsFrom | nindent 8 }}
    {{- with .ingress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  egress:
    {{- include "berth-lib.dns-egress" $root | nindent 4 }}
    {{- include "berth-lib.nats-egress" $root | nindent 4 }}
    {{- if .usesDatabase }}
    {{- include "berth-lib.database-egress" $root | nindent 4 }}
    {{- end }}
    {{- with $root.Values.global.tracing }}
    {{- if .endpoint }}
    - ports: [{ port: {{ int .port | default (include "berth-lib.port-of-url" .endpoint) }}, protocol: TCP }]
    {{- end }}
    {{- end }}
    {{- include "berth-lib.proxy-egress" $root | nindent 4 }}
    {{- with .egress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
{{- end -}}
