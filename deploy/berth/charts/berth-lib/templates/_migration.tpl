{{/* An upgrade migrates the schema before the first pod is replaced; with an installation the service does it when it starts. */}}
{{- define "berth-lib.migration" -}}
{{- if and .usesDatabase .root.Release.IsUpgrade -}}
{{- $files := include "berth-lib.database-files" .root | fromYamlArray -}}
{{ include "berth-lib.admin-job" (dict "root" .root "component" .component "job" "migrate" "command" "migrate" "weight" "0" "files" $files) }}
{{- end -}}
{{- end -}}
