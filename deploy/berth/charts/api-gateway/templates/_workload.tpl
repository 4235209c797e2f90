{{/* Rendered by the umbrella chart, which alone knows its value ownUrlOverride. */}}
{{- define "api-gateway.workload" -}}
{{- $env := dict
  "HOST" .Values.global.listenAddress
  "PORT" "8080"
  "SERVICE_OWN_URL" .ownUrl
  "SERVICE_VERSION" (include "berth-lib.version" .)
  "LINGER_SECONDS" .Values.lingerSeconds
  "TRUSTED_PROXIES" (kindIs "string" .Values.trustedProxies | ternary "" (join " " .Values.trustedProxies)) -}}
{{- $files := list -}}
{{- $volumes := list -}}
{{- $mounts := list -}}
{{- with .Values.tls.existingSecret -}}
{{- $_ := set $env "TLS_FOLDER" "/run/berth-tls" -}}
{{- $volumes = append $volumes (dict "name" "tls" "secret" (dict "secretName" . "defaultMode" 0440)) -}}
{{- $mounts = append $mounts (dict "name" "tls" "mountPath" "/run/berth-tls" "readOnly" true) -}}
{{- end -}}
{{- with .Values.tls.clientCa.existingSecret -}}
{{- $files = append $files (dict "env" "TLS_CLIENT_CA" "secret" . "key" $.Values.tls.clientCa.key) -}}
{{- end -}}
{{- $ingress := list (dict "ports" (list (dict "port" 8080 "protocol" "TCP"))) -}}
{{- with .Values.global.networkPolicy.gatewayFrom -}}
{{- $ingress = list (dict "ports" (list (dict "port" 8080 "protocol" "TCP")) "from" .) -}}
{{- end -}}
{{- include "berth-lib.workload" (dict
  "root" .
  "env" $env
  "files" $files
  "volumes" $volumes
  "mounts" $mounts
  "ports" (list (dict "name" "http" "port" 8080))
  "preStop" .Values.preStopSeconds
  "grace" (add .Values.preStopSeconds 35)
  "ingress" $ingress) }}
{{- end -}}
