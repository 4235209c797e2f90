{{/* Left out where the number of replicas is fixed, or where KEDA makes the autoscaler. */}}
{{- define "berth-lib.autoscaler" -}}
{{- $autoscaling := .root.Values.autoscaling -}}
{{- $by := default "cpu" $autoscaling.by -}}
{{- if and $autoscaling.enabled (ne $by "keda") -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{- include "berth-lib.metadata" . | nindent 2 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "berth-lib.part-name" . }} }
  minReplicas: {{ $autoscaling.minReplicas }}
  maxReplicas: {{ $autoscaling.maxReplicas }}
  {{- with $autoscaling.behavior }}
  behavior: {{- toYaml . | nindent 4 }}
  {{- end }}
  metrics:
    {{- if eq $by "external" }}
    - type: External
      external:
        metric: { name: {{ $autoscaling.external.metric | quote }} }
        target: { type: AverageValue, averageValue: {{ $autoscaling.tasksPerReplica | quote }} }
    {{- else }}
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $autoscaling.targetCPUUtilizationPercentage }} }
    {{- end }}
{{- end -}}
{{- end -}}
