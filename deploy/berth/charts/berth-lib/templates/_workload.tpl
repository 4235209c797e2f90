{{/*
Everything that one part of Berth consists of, beside its Service. Each object is in the file of its kind, which may leave it out.
A part says:
  env, files         settings, and secrets as files
  ports              further container ports: { name, port }
  volumes, mounts    further ones
  usesDatabase       whether it has a schema of its own
  hasToken           whether it calls the API server of its own cluster
  namedAfterPod      whether it is called like its pod
  grace, preStop     seconds until it is killed; seconds that it still serves after its end is announced
  ingress, egress    rules of its network policy, beside metrics, DNS and NATS
*/}}
{{- define "berth-lib.workload" -}}
{{- $part := merge (dict "component" .root.Chart.Name) . -}}
{{ include "berth-lib.account" $part }}
---
{{ include "berth-lib.deployment" $part }}
{{- range list "berth-lib.autoscaler" "berth-lib.disruption-budget" "berth-lib.network-policy" "berth-lib.migration" }}
{{- with include . $part }}
---
{{ . }}
{{- end }}
{{- end }}
{{- end -}}
