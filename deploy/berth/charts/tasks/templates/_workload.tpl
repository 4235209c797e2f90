{{/* Rendered by the umbrella chart, which alone knows its value ownUrlOverride. */}}
{{- define "tasks.workload" -}}
{{- $env := dict
  "SERVICE_OWN_URL" .ownUrl
  "RESERVED_NAMESPACES" (join " " (prepend .Values.reservedNamespaces .Release.Namespace | uniq)) -}}
{{- $files := list
  (dict "env" "KEY_ENCRYPTION_KEY" "secret" (include "berth-lib.keys-secret" .) "key" "tasks") -}}
{{- if .Values.otherKeys.existingSecret -}}
{{- $files = append $files (dict "env" "OTHER_KEY_ENCRYPTION_KEYS" "secret" .Values.otherKeys.existingSecret "key" .Values.otherKeys.key) -}}
{{- end -}}
{{- include "berth-lib.workload" (dict "root" . "env" $env "files" $files "usesDatabase" true "grace" 35) }}
{{- end -}}
