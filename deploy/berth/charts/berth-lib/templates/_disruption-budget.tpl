{{/* Left out for a single replica: it could only be protected by never draining its node. */}}
{{- define "berth-lib.disruption-budget" -}}
{{- $values := .root.Values -}}
{{- $fewest := $values.replicas -}}
{{- if $values.autoscaling.enabled }}{{ $fewest = $values.autoscaling.minReplicas }}{{ end -}}
{{- if and $values.podDisruptionBudget.enabled (gt (int $fewest) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "berth-lib.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "berth-lib.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}
