{{/* Rendered by the umbrella chart, which alone knows its value ownUrlOverride. */}}
{{- define "auth.workload" -}}
{{- $oidc := .Values.oidc -}}
{{- $keys := include "auth.oidc-keys" $oidc | fromYaml -}}
{{- $env := dict
  "SERVICE_OWN_URL" .ownUrl
  "ADMIN_EMAILS" (join " " .Values.adminEmails) -}}
{{- if $oidc.allowHttp }}{{- $_ := set $env "OIDC_ALLOW_HTTP" "true" -}}{{- end -}}
{{- $files := list
  (dict "env" "KEY_ENCRYPTION_KEY" "secret" (include "berth-lib.keys-secret" .) "key" "auth")
  (dict "env" "OIDC_CLIENT_ID" "secret" $oidc.existingSecret "key" $keys.clientId)
  (dict "env" "OIDC_CLIENT_SECRET" "secret" $oidc.existingSecret "key" $keys.clientSecret) -}}
{{- if $oidc.issuer -}}
{{- $_ := set $env "OIDC_SERVER_URL" $oidc.issuer -}}
{{- else -}}
{{- $files = append $files (dict "env" "OIDC_SERVER_URL" "secret" $oidc.existingSecret "key" $keys.serverUrl) -}}
{{- end -}}
{{- with .Values.otherKeys.existingSecret -}}
{{- $files = append $files (dict "env" "OTHER_KEY_ENCRYPTION_KEYS" "secret" . "key" $.Values.otherKeys.key) -}}
{{- end -}}
{{- $issuer := $oidc.issuer -}}
{{- if not $issuer -}}
{{- $secret := include "berth-lib.secret-data" (dict "root" . "name" $oidc.existingSecret) | fromYaml -}}
{{- $issuer = get $secret $keys.serverUrl | default "" | b64dec | trim | default "https://unseen" -}}
{{- end -}}
{{- $port := int $oidc.port | default (include "berth-lib.port-of-url" $issuer) -}}
{{- $ports := list (dict "port" (int $port) "protocol" "TCP") -}}
{{- $egress := list (dict "ports" $ports) -}}
{{- with .Values.global.networkPolicy.oidc }}{{- $egress = list (dict "ports" $ports "to" .) -}}{{- end -}}
{{- include "berth-lib.workload" (dict "root" . "env" $env "files" $files "usesDatabase" true "grace" 35 "egress" $egress) }}
{{- end -}}

{{/* The keys of the Secret with the client at the provider. It may lack the server's URL, which is then a value. */}}
{{- define "auth.oidc-keys" -}}
{{- $isUsual := eq .existingSecret "oidc-config" -}}
serverUrl: {{ .serverUrlKey | default (ternary "serverUrl" "" $isUsual) | quote }}
clientId: {{ .clientIdKey | default (ternary "clientId" "client-id" $isUsual) | quote }}
clientSecret: {{ .clientSecretKey | default (ternary "clientSecret" "client-secret" $isUsual) | quote }}
{{- end -}}
