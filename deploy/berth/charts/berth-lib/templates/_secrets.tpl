{{/*
What a Secret of the release's namespace holds now, as Helm finds it; nothing without a cluster. Templates are rendered in any order,
so what one of them has found or made is kept in the release, which all of them share.
*/}}
{{- define "berth-lib.secret-data" -}}
{{- $kept := get .root.Release "secrets" | default dict -}}
{{- $_ := set .root.Release "secrets" $kept -}}
{{- if not (hasKey $kept .name) -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .name | default dict -}}
{{- $_ := set $kept .name (get $found "data" | default dict) -}}
{{- end -}}
{{- get $kept .name | toYaml -}}
{{- end -}}

{{/*
Whether there is a cluster to look things up in. Every namespace has the ConfigMap kube-root-ca.crt; one that Helm is about to make has it
not yet, but whoever may make namespaces sees kube-system.
*/}}
{{- define "berth-lib.sees-cluster" -}}
{{- if or (lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt") (lookup "v1" "Namespace" "" "kube-system") -}}true{{- end -}}
{{- end -}}

{{/*
A Secret that the chart makes once: what is there already stays. It is never made where an old one could exist unseen: with other keys
what the old ones sealed would be lost. `keys` are made as keys, `passwords` as passwords; `value` brings a Secret instead.
*/}}
{{- define "berth-lib.made-secret" -}}
{{- $root := .root -}}
{{- $made := get $root.Release "made" | default dict -}}
{{- $_ := set $root.Release "made" $made -}}
{{- if not (hasKey $made .name) -}}
{{- $there := include "berth-lib.secret-data" . | fromYaml -}}
{{- $sees := include "berth-lib.sees-cluster" $root -}}
{{- if and (not $sees) (not $root.Values.global.trial) -}}
{{- fail (printf "%s: required where the chart is rendered without a cluster, since the Secret %s would be made anew each time, and what the old one opens would be lost. Bring a Secret, or set global.trial to true for a trial" .value .name) -}}
{{- end -}}
{{- if and $root.Release.IsUpgrade $sees (not $there) -}}
{{- fail (printf "%s: the Secret %s of this release is gone; restore it from your backup, or bring one" .value .name) -}}
{{- end -}}
{{- $data := dict -}}
{{- range .keys }}{{ $_ := set $data . (get $there . | default (randBytes 32 | b64enc)) }}{{ end -}}
{{- range .passwords }}{{ $_ := set $data . (get $there . | default (randAlphaNum 40 | b64enc)) }}{{ end -}}
{{- $_ := set $made .name $data -}}
{{- end -}}
{{- get $made .name | toYaml -}}
{{- end -}}

{{- define "berth-lib.made-keys" -}}
{{- include "berth-lib.made-secret" (dict "root" . "name" (include "berth-lib.keys-secret" .) "value" "global.keys.existingSecret" "keys" (list "auth" "tasks")) -}}
{{- end -}}

{{/* Servers of NATS know each other by the password of routes. Without it, whoever reaches their port is every service. */}}
{{- define "berth-lib.made-nats" -}}
{{- $passwords := list "api-gateway" "auth" "tasks" "cluster-sync" "registry-scan" "runner" "routes" -}}
{{- include "berth-lib.made-secret" (dict "root" . "name" (include "berth-lib.nats-secret" .) "value" "global.nats.existingSecret" "passwords" $passwords) -}}
{{- end -}}

{{- define "berth-lib.made-database" -}}
{{- $passwords := list "auth-password" "tasks-password" "cluster_sync-password" "registry_scan-password" "superuser-password" -}}
{{- include "berth-lib.made-secret" (dict "root" . "name" (include "berth-lib.database-secret" .) "value" "global.postgresql.existingSecret" "passwords" $passwords) -}}
{{- end -}}

{{/* A digest of the contents that a pod reads when it starts, `files`, so that other contents roll it. */}}
{{- define "berth-lib.secrets-checksum" -}}
{{- $root := .root -}}
{{- $global := $root.Values.global -}}
{{- $made := dict -}}
{{- if not $global.keys.existingSecret }}{{ $_ := set $made (include "berth-lib.keys-secret" $root) (include "berth-lib.made-keys" $root | fromYaml) }}{{ end -}}
{{- if not $global.nats.existingSecret }}{{ $_ := set $made (include "berth-lib.nats-secret" $root) (include "berth-lib.made-nats" $root | fromYaml) }}{{ end -}}
{{- if not $global.postgresql.existingSecret }}{{ $_ := set $made (include "berth-lib.database-secret" $root) (include "berth-lib.made-database" $root | fromYaml) }}{{ end -}}
{{- $contents := list $global.secretsRevision -}}
{{- range .files -}}
{{- $data := dict -}}
{{- if hasKey $made .secret }}{{ $data = get $made .secret }}{{ else }}{{ $data = include "berth-lib.secret-data" (dict "root" $root "name" .secret) | fromYaml }}{{ end -}}
{{- /* The URL of a made database follows from its password and from values. */ -}}
{{- $contents = append $contents (list .secret .key (get $data .key | default (get $data (printf "%s-password" .key)))) -}}
{{- end -}}
{{- $contents | toJson | sha256sum -}}
{{- end -}}
