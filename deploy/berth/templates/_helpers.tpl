{{/* What the schema cannot say: values that only fail together. Each message begins with the value and ends with the way out. */}}
{{- define "berth.validate" -}}
{{- include "berth.refuse-other-database" . -}}
{{- $global := .Values.global -}}
{{- /* A parent's own keys are allowed. Each key of this chart has a default, so a misspelled one is there twice. */ -}}
{{- $spelled := dict -}}
{{- range $name := keys $global | sortAlpha -}}
{{- $simple := $name | lower | replace "-" "" | replace "_" "" -}}
{{- if hasKey $spelled $simple -}}{{- fail (printf "global.%s: differs only in its spelling from global.%s; write one of them, as docs/values.md does" $name (get $spelled $simple)) -}}{{- end -}}
{{- $_ := set $spelled $simple $name -}}
{{- end -}}
{{- if not $global.image.registry -}}
{{- fail "global.image.registry: required, where the images of Berth are, such as registry.example.com/berth" -}}
{{- end -}}
{{- if and $global.caBundle.existingSecret $global.caBundle.existingConfigMap -}}
{{- fail "global.caBundle.existingConfigMap: must be empty while global.caBundle.existingSecret has the certificates; set one of them" -}}
{{- end -}}
{{- if $global.certificate.enabled -}}
{{- if not $global.certificate.issuerRef.name -}}{{- fail "global.certificate.issuerRef: required, such as { kind: ClusterIssuer, name: letsencrypt }" -}}{{- end -}}
{{- if not (or (and $global.ingress.enabled $global.ingress.hosts) (and $global.httpRoute.enabled $global.httpRoute.hostnames)) -}}{{- fail "global.certificate.enabled: needs a host of global.ingress or global.httpRoute" -}}{{- end -}}
{{- end -}}
{{- if $global.httpRoute.backendTls.enabled -}}
{{- if not (index .Values "api-gateway").tls.existingSecret -}}{{- fail "global.httpRoute.backendTls.enabled: has no effect without api-gateway.tls.existingSecret, the certificate that the Gateway checks" -}}{{- end -}}
{{- if not $global.httpRoute.hostnames -}}{{- fail "global.httpRoute.hostnames: required with global.httpRoute.backendTls, the name that the certificate has" -}}{{- end -}}
{{- end -}}
{{- range $name, $tls := dict "nats.tls" $global.nats.tls "metricsTls" $global.metricsTls -}}
{{- if and $tls $tls.issuerRef (not $tls.issuerRef.name) -}}{{- fail (printf "global.%s.issuerRef.name: required, such as { kind: ClusterIssuer, name: private }" $name) -}}{{- end -}}
{{- end -}}
{{- $postgresql := $global.postgresql -}}
{{- $nats := $global.nats -}}
{{- if not (include "berth.own-url" .) -}}
{{- fail "global.ownUrl: required (or ownUrlOverride), the URL at which people reach Berth; or enable global.ingress with a host" -}}
{{- end -}}
{{- if and .Values.ownUrlOverride $global.ownUrl (ne (trimSuffix "/" .Values.ownUrlOverride) (trimSuffix "/" $global.ownUrl)) -}}
{{- fail (printf "ownUrlOverride: must be empty or equal to global.ownUrl (%s), which is another URL than %s; set one of them" $global.ownUrl .Values.ownUrlOverride) -}}
{{- end -}}
{{- if and $global.ingress.enabled (not $global.ingress.hosts) -}}
{{- fail "global.ingress.hosts: must name at least one host, since global.ingress.enabled is true" -}}
{{- end -}}
{{- if and $global.httpRoute.enabled (not $global.httpRoute.parentRefs) -}}
{{- fail "global.httpRoute.parentRefs: must name at least one Gateway, since global.httpRoute.enabled is true" -}}
{{- end -}}
{{- range $image, $digest := $global.image.digests -}}
{{- if not (has $image (list "api-gateway" "auth" "tasks" "cluster-sync" "registry-scan" "runner")) -}}
{{- fail (printf "global.image.digests.%s: there is no such image; the images are api-gateway, auth, tasks, cluster-sync, registry-scan and runner" $image) -}}
{{- end -}}
{{- end -}}

{{- if $postgresql.bundled -}}
{{- if $postgresql.host -}}{{- fail "global.postgresql.host: must be empty while global.postgresql.bundled is true; set one of them" -}}{{- end -}}
{{- if $postgresql.admin.existingSecret -}}{{- fail "global.postgresql.admin.existingSecret: must be empty while global.postgresql.bundled is true; set one of them" -}}{{- end -}}
{{- else if not $postgresql.existingSecret -}}
{{- if not $postgresql.host -}}{{- fail "global.postgresql.host: required; or bring the URLs in global.postgresql.existingSecret, or set global.postgresql.bundled for an evaluation" -}}{{- end -}}
{{- if not $postgresql.admin.existingSecret -}}{{- fail "global.postgresql.admin.existingSecret: required with global.postgresql.host, to make the roles; or bring the URLs of roles in global.postgresql.existingSecret" -}}{{- end -}}
{{- if and (hasPrefix "verify-" $postgresql.sslMode) (not $postgresql.ca.existingSecret) -}}{{- fail (printf "global.postgresql.ca.existingSecret: required with global.postgresql.sslMode %s; or set sslMode to require" $postgresql.sslMode) -}}{{- end -}}
{{- end -}}

{{- if $nats.bundled -}}
{{- if $nats.url -}}{{- fail "global.nats.url: must be empty while global.nats.bundled is true; set one of them" -}}{{- end -}}
{{- if $nats.nkeys -}}{{- fail "global.nats.nkeys: must be empty while global.nats.bundled is true, whose users have passwords" -}}{{- end -}}
{{- if $nats.ca.existingSecret -}}{{- fail "global.nats.ca.existingSecret: must be empty while global.nats.bundled is true, whose authority global.nats.tls has" -}}{{- end -}}
{{- if gt (int $nats.replicas) (int $nats.servers) -}}{{- fail (printf "global.nats.replicas: must be at most global.nats.servers (%d)" (int $nats.servers)) -}}{{- end -}}
{{- else -}}
{{- if include "berth-lib.nats-tls-secret" . -}}{{- fail "global.nats.tls: has no effect without global.nats.bundled; name a NATS of your own with tls:// in global.nats.url, and its authority in global.nats.ca" -}}{{- end -}}
{{- if and $nats.nkeys (not $nats.existingSecret) -}}{{- fail "global.nats.existingSecret: required with global.nats.nkeys, a Secret with their seeds" -}}{{- end -}}
{{- if not $nats.url -}}{{- fail "global.nats.url: required, such as nats://nats.nats:4222; or set global.nats.bundled for an evaluation" -}}{{- end -}}
{{- end -}}

{{- $auth := .Values.auth -}}
{{- $keys := include "auth.oidc-keys" $auth.oidc | fromYaml -}}
{{- if not $auth.oidc.existingSecret -}}{{- fail (printf "auth.oidc.existingSecret: required, the name of a Secret with the client at the provider under %s and %s" $keys.clientId $keys.clientSecret) -}}{{- end -}}
{{- if not (or $auth.oidc.issuer $keys.serverUrl) -}}{{- fail "auth.oidc.issuer: required, the URL that the OpenID Connect provider calls itself; or name its key in the Secret by auth.oidc.serverUrlKey" -}}{{- end -}}
{{- if and (hasPrefix "http:" $auth.oidc.issuer) (not $auth.oidc.allowHttp) -}}{{- fail "auth.oidc.issuer: must be https; for a provider inside of the cluster set auth.oidc.allowHttp" -}}{{- end -}}

{{- $gateway := index .Values "api-gateway" -}}
{{- if and $gateway.tls.clientCa.existingSecret (not $gateway.tls.existingSecret) -}}{{- fail "api-gateway.tls.clientCa.existingSecret: has no effect without api-gateway.tls.existingSecret, since only TLS has certificates of clients" -}}{{- end -}}

{{- if and (or $global.ingress.enabled $global.httpRoute.enabled) (not $gateway.trustedProxies) -}}{{- fail "api-gateway.trustedProxies: required with global.ingress or global.httpRoute, the addresses of the proxies in front, such as [10.0.0.0/8] for the pods of the ingress controller; without them all clients share one limit, and one can keep the others from signing in. Set it to none if the proxy keeps the address of the client" -}}{{- end -}}

{{- $sync := index .Values "cluster-sync" -}}
{{- if eq $sync.clusterSecrets.namespace .Release.Namespace -}}{{- fail "cluster-sync.clusterSecrets.namespace: must be another namespace than that of the release, since cluster-sync may read all Secrets in it" -}}{{- end -}}
{{- if and $sync.kubeconfig.contexts (not $sync.kubeconfig.existingSecret) -}}{{- fail "cluster-sync.kubeconfig.contexts: has no effect without cluster-sync.kubeconfig.existingSecret" -}}{{- end -}}
{{- if and $sync.ownCluster.clusterScoped (not (and $sync.ownCluster.name $sync.sharedRunnerAccount)) -}}{{- fail "cluster-sync.ownCluster.clusterScoped: has no effect without cluster-sync.ownCluster.name and cluster-sync.sharedRunnerAccount; grant cluster roles instead" -}}{{- end -}}

{{- $scan := index .Values "registry-scan" -}}
{{- if and $scan.push.enabled (not $scan.push.existingSecret) -}}{{- fail "registry-scan.push.existingSecret: required with registry-scan.push.enabled, the name of a Secret with the token of the registries" -}}{{- end -}}

{{- range $service := list "api-gateway" "auth" "tasks" "cluster-sync" "registry-scan" "runner" -}}
{{- /* Of a part that is off Helm has no values. */ -}}
{{- $autoscaling := (index $.Values $service | default dict).autoscaling | default dict -}}
{{- if and $autoscaling.enabled (gt (int $autoscaling.minReplicas) (int $autoscaling.maxReplicas)) -}}
{{- fail (printf "%s.autoscaling.minReplicas: must be at most maxReplicas (%d)" $service (int $autoscaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- $runner := .Values.runner -}}
{{- if dig "autoscaling" "enabled" false ($runner | default dict) -}}
{{- if and (eq $runner.autoscaling.by "keda") (not $runner.autoscaling.keda.prometheusAddress) -}}{{- fail "runner.autoscaling.keda.prometheusAddress: required with runner.autoscaling.by keda, such as http://prometheus.monitoring:9090" -}}{{- end -}}
{{- if and (eq $runner.autoscaling.by "keda") (not (.Capabilities.APIVersions.Has "keda.sh/v1alpha1")) -}}{{- fail "runner.autoscaling.by: the cluster has no KEDA; install it, or choose cpu or external" -}}{{- end -}}
{{- end -}}
{{- if and .Values.monitoring.serviceMonitor.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}{{- fail "monitoring.serviceMonitor.enabled: the cluster has no ServiceMonitor; install the Prometheus operator, or set it to false" -}}{{- end -}}
{{- if and .Values.monitoring.rules.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}{{- fail "monitoring.rules.enabled: the cluster has no PrometheusRule; install the Prometheus operator, or set it to false" -}}{{- end -}}
{{- if and $global.httpRoute.enabled (not (.Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1")) -}}{{- fail "global.httpRoute.enabled: the cluster has no Gateway API; install it, or use global.ingress" -}}{{- end -}}
{{- end -}}

{{/* The value ownUrlOverride has the name that the interface gives it; global.ownUrl is the same for parents of this chart. */}}
{{- define "berth.own-url" -}}
{{- $global := .Values.global -}}
{{- if .Values.ownUrlOverride -}}
{{- .Values.ownUrlOverride | trimSuffix "/" -}}
{{- else if $global.ownUrl -}}
{{- $global.ownUrl | trimSuffix "/" -}}
{{- else if and $global.ingress.enabled $global.ingress.hosts -}}
{{- printf "%s://%s" (ternary "https" "http" (gt (len $global.ingress.tls) 0)) (first $global.ingress.hosts) -}}
{{- end -}}
{{- end -}}

{{- define "berth.database-record" -}}
{{ include "berth-lib.fullname" . }}-database-kind
{{- end -}}

{{- define "berth.database-kind" -}}
{{- ternary .Values.global.postgresql.bundledKind "external" .Values.global.postgresql.bundled -}}
{{- end -}}

{{/*
Refuses another kind of database than the release has, since the new one would be empty. Releases of versions before the record have it
from what is there.
*/}}
{{- define "berth.refuse-other-database" -}}
{{- $namespace := .Release.Namespace -}}
{{- $record := include "berth.database-record" . -}}
{{- $server := printf "%s-postgresql" (include "berth-lib.fullname" .) -}}
{{- $found := lookup "v1" "ConfigMap" $namespace $record | default dict -}}
{{- $kind := dig "data" "kind" "" $found -}}
{{- $objects := list (printf "configmap/%s" $record) -}}
{{- if and (not $kind) .Release.IsUpgrade -}}
{{- if lookup "apps/v1" "StatefulSet" $namespace $server -}}
{{- $kind = "pod" -}}
{{- $objects = list (printf "statefulset/%s" $server) -}}
{{- else if .Capabilities.APIVersions.Has "postgresql.cnpg.io/v1/Cluster" -}}
{{- /* Without this API a lookup of its objects is an error. */ -}}
{{- if lookup "postgresql.cnpg.io/v1" "Cluster" $namespace $server -}}
{{- $kind = "cloudnative-pg" -}}
{{- $objects = list (printf "cluster.postgresql.cnpg.io/%s" $server) -}}
{{- end -}}
{{- end -}}
{{- else if eq $kind "pod" -}}
{{- $objects = append $objects (printf "statefulset/%s" $server) -}}
{{- end -}}
{{- $other := include "berth.database-kind" . -}}
{{- if and $kind (ne $kind $other) -}}
{{- $value := ternary "global.postgresql.bundled" "global.postgresql.bundledKind" (or (eq $kind "external") (eq $other "external")) -}}
{{- fail (printf "%s: the database of this release is of the kind %s, and %s would be another one, which is empty. Keep the value; or move the data as docs/install.md says (To another database): back it up, then kubectl --namespace %s delete %s, upgrade, and restore it" $value $kind $other $namespace (join " " $objects)) -}}
{{- end -}}
{{- end -}}

{{/* Each user of NATS has an nkey of its own. */}}
{{- define "berth.check-nkeys" -}}
{{- $users := list -}}
{{- range .config.accounts }}{{ range .users }}{{ $users = append $users .user }}{{ end }}{{ end -}}
{{- $users = sortAlpha $users -}}
{{- range $user := keys .nkeys | sortAlpha -}}
{{- if not (has $user $users) }}{{ fail (printf "global.nats.nkeys.%s: there is no such user; the users are %s" $user (join ", " $users)) }}{{ end -}}
{{- end -}}
{{- $nkeys := .nkeys -}}
{{- $seen := dict -}}
{{- range $user := $users -}}
{{- $nkey := get $nkeys $user -}}
{{- if not $nkey }}{{ fail (printf "global.nats.nkeys.%s: required, since other users have an nkey" $user) }}{{ end -}}
{{- if hasKey $seen $nkey }}{{ fail (printf "global.nats.nkeys.%s: must differ from that of %s" $user (get $seen $nkey)) }}{{ end -}}
{{- $_ := set $seen $nkey $user -}}
{{- end -}}
{{- end -}}

{{- define "berth.kept-metadata" -}}
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" (dict "root" .root "component" .component) | nindent 4 }}
  annotations:
    # Helm neither removes it with the release, nor makes it again.
    helm.sh/resource-policy: keep
{{- end -}}

{{/* NATS reads JSON, but not the escapes that Helm writes for three characters. */}}
{{- define "berth.nats-text" -}}
{{- toPrettyJson . | replace "\\u003e" ">" | replace "\\u003c" "<" | replace "\\u0026" "&" -}}
{{- end -}}
