{{/* Where pods run: of a part, or what all pods of the release have where the part says nothing. Takes a root; also that of Jobs. */}}
{{- define "berth-lib.placement" -}}
{{- $global := .Values.global -}}
{{- with $global.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $name := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
{{- with get $.Values $name | default (get $global $name) }}
{{ $name }}: {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "berth-lib.scheduling" -}}
{{- include "berth-lib.placement" .root }}
{{- if .root.Values.topologySpread }}
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
