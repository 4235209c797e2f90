{{/* What every process needs to get out of the cluster: the authorities that it trusts, and the proxy. */}}
{{- define "berth-lib.outgoing-env" -}}
{{- $global := .Values.global -}}
{{- $env := dict -}}
{{- if or $global.caBundle.existingSecret $global.caBundle.existingConfigMap -}}
{{- $_ := set $env "NODE_EXTRA_CA_CERTS" "/run/berth-ca/ca.crt" -}}
{{- end -}}
{{- with $global.proxy -}}
{{- if or .http .https -}}
{{- with .https }}{{ $_ := set $env "HTTPS_PROXY" . }}{{ end -}}
{{- with .http }}{{ $_ := set $env "HTTP_PROXY" . }}{{ end -}}
{{- range include "berth-lib.proxy-secrets" $ | fromYamlArray -}}
{{- $_ := set $env .env (dict "secretKeyRef" (dict "name" .secret "key" .key)) -}}
{{- end -}}
{{- /* A proxy is elsewhere than the node, whose addresses give credentials of its cloud: instance metadata, roles of ECS and of EKS pods. */ -}}
{{- $ofNode := list "169.254.169.254" "169.254.170.2" "169.254.170.23" -}}
{{- $hosts := concat (list "localhost" "127.0.0.1" "::1" ".svc" ".cluster.local") $ofNode -}}
{{- with $global.postgresql.host }}{{ $hosts = append $hosts . }}{{ end -}}
{{- range compact (splitList "," $global.nats.url) }}{{ $hosts = append $hosts (regexReplaceAll "^[a-z]+://([^@/]*@)?(.*?)(:[0-9]+)?/?$" (trim .) "${2}") }}{{ end -}}
{{- $_ := set $env "NO_PROXY" (concat $hosts .noProxy | uniq | join ",") -}}
{{- $_ := set $env "NODE_USE_ENV_PROXY" "1" -}}
{{- end -}}
{{- end -}}
{{- toYaml $env -}}
{{- end -}}

{{/* The variables with the URLs of the proxy that come from a Secret: a list of { env, secret, key }. */}}
{{- define "berth-lib.proxy-secrets" -}}
{{- $proxy := .Values.global.proxy -}}
{{- $secrets := list -}}
{{- with $proxy.existingSecret -}}
{{- if $proxy.https }}{{ $secrets = append $secrets (dict "env" "HTTPS_PROXY" "secret" . "key" "https") }}{{ end -}}
{{- if $proxy.http }}{{ $secrets = append $secrets (dict "env" "HTTP_PROXY" "secret" . "key" "http") }}{{ end -}}
{{- if not $secrets -}}
{{- fail "global.proxy.existingSecret: give the address of the proxy too, without user and password, as global.proxy.https or global.proxy.http: network policies need its port" -}}
{{- end -}}
{{- end -}}
{{- toYaml $secrets -}}
{{- end -}}

{{- define "berth-lib.ca-volumes" -}}
{{- $bundle := .Values.global.caBundle -}}
{{- $items := list (dict "key" $bundle.key "path" "ca.crt") -}}
{{- if $bundle.existingSecret }}
- name: ca-bundle
  secret: { secretName: {{ $bundle.existingSecret }}, defaultMode: 0440, items: {{ toJson $items }} }
{{- else if $bundle.existingConfigMap }}
- name: ca-bundle
  configMap: { name: {{ $bundle.existingConfigMap }}, items: {{ toJson $items }} }
{{- end }}
{{- end -}}

{{- define "berth-lib.ca-mounts" -}}
{{- $bundle := .Values.global.caBundle -}}
{{- if or $bundle.existingSecret $bundle.existingConfigMap }}
- { name: ca-bundle, mountPath: /run/berth-ca, readOnly: true }
{{- end }}
{{- end -}}

{{/* The port of an http or https URL. */}}
{{- define "berth-lib.port-of-url" -}}
{{- $named := regexFind ":[0-9]+$" (urlParse .).host | trimPrefix ":" -}}
{{- $named | default (ternary "80" "443" (hasPrefix "http:" .)) -}}
{{- end -}}
