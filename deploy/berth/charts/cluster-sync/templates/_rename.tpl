{{/*
Gives an object of `manifest` its names in the release: `names` maps each name of the manifests to one of the release. Any other name
fails the rendering, since an object that keeps one old name grants its rights to nobody, or to another release.
*/}}
{{- define "cluster-sync.rename" -}}
{{- $object := .object -}}
{{- $named := list $object.metadata -}}
{{- if $object.roleRef }}{{- $named = append $named $object.roleRef -}}{{- end -}}
{{- range concat $named (default list $object.subjects) -}}
{{- $_ := set . "name" (include "cluster-sync.name" (merge (dict "name" .name) $)) -}}
{{- if .namespace }}{{- $_ := set . "namespace" (include "cluster-sync.name" (merge (dict "name" .namespace) $)) -}}{{- end -}}
{{- end -}}
{{- range $rule := $object.rules -}}
{{- if $rule.resourceNames -}}
{{- $names := list -}}
{{- range $rule.resourceNames }}{{- $names = append $names (include "cluster-sync.name" (merge (dict "name" .) $)) -}}{{- end -}}
{{- $_ := set $rule "resourceNames" $names -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "cluster-sync.name" -}}
{{- if not (hasKey .names .name) -}}
{{- fail (printf "files/rbac/%s.yaml: templates/rbac.yaml does not map the name %s of a %s" .manifest .name .object.kind) -}}
{{- end -}}
{{- get .names .name -}}
{{- end -}}

{{/* The namespace of the accounts of deployments; for the cluster of this release one of its own. */}}
{{- define "cluster-sync.deployers-namespace" -}}
{{- if .Values.deployersNamespace -}}{{ .Values.deployersNamespace }}
{{- else if .Values.ownCluster.name -}}{{ printf "%s-%s-deployers" .Release.Namespace (include "berth-lib.fullname" .) | trunc 63 | trimSuffix "-" }}
{{- else -}}berth-deployers{{- end -}}
{{- end -}}

{{/* As deployerRoleName of the service derives it. */}}
{{- define "cluster-sync.deployer-role" -}}
{{- $namespace := include "cluster-sync.deployers-namespace" . -}}
{{- if eq $namespace "berth-deployers" -}}berth-deployer{{- else -}}{{ $namespace }}-deployer{{- end -}}
{{- end -}}
