{{/* One command of `berth-admin`: before an upgrade as a hook; with an installation beside the services, which wait for it. */}}
{{- define "berth-lib.admin-job" -}}
{{- $root := .root -}}
{{- $global := $root.Values.global -}}
{{- $name := printf "%s-%s" (include "berth-lib.part-name" .) .job -}}
{{- $spec := include "berth-lib.admin-job-spec" . -}}
{{- if not $root.Release.IsUpgrade -}}
{{- /* The pod of a Job cannot change, so tools that apply the rendering again get another Job for another pod. */ -}}
{{- $name = printf "%s-%s" $name ($spec | sha256sum | trunc 8) -}}
{{- end -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" (dict "root" $root "component" (printf "%s-%s" .component .job)) | nindent 4 }}
  {{- if or $root.Release.IsUpgrade $global.jobs.annotations }}
  annotations:
    {{- if $root.Release.IsUpgrade }}
    helm.sh/hook: pre-upgrade
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    {{- end }}
    {{- with $global.jobs.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  {{- $spec | nindent 2 }}
{{- end -}}

{{- define "berth-lib.admin-job-spec" -}}
{{- $root := .root -}}
{{- $global := $root.Values.global -}}
{{- $labels := dict "root" $root "component" (printf "%s-%s" .component .job) -}}
backoffLimit: 6
activeDeadlineSeconds: {{ int $global.jobs.deadlineSeconds }}
template:
  metadata:
    labels:
      {{- include "berth-lib.labels" $labels | nindent 6 }}
      berth.dev/uses-database: "true"
    {{- with $global.jobs.annotations }}
    annotations: {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    restartPolicy: OnFailure
    automountServiceAccountToken: false
    enableServiceLinks: false
    securityContext: {{- include "berth-lib.pod-security" $root | nindent 6 }}
    {{- include "berth-lib.placement" $root | nindent 4 }}
    containers:
      - name: {{ .job }}
        image: {{ include "berth-lib.image" (dict "root" $root "component" .component) }}
        imagePullPolicy: {{ $global.image.pullPolicy }}
        args: [{{ .command }}]
        env:
          - { name: NODE_ENV, value: production }
          - { name: LOG_LEVEL, value: {{ $global.logLevel | quote }} }
          {{- include "berth-lib.env-entries" (include "berth-lib.outgoing-env" $root | fromYaml) | nindent 10 }}
          {{- include "berth-lib.secret-env" (dict "files" .files) | nindent 10 }}
        securityContext: {{- include "berth-lib.container-security" $root | nindent 10 }}
        resources: {{- toYaml $global.jobs.resources | nindent 10 }}
        volumeMounts:
          - { name: secrets, mountPath: /run/berth, readOnly: true }
          - { name: tmp, mountPath: /tmp }
          {{- include "berth-lib.ca-mounts" $root | nindent 10 }}
    volumes:
      {{- include "berth-lib.secret-volume" (dict "files" .files) | nindent 6 }}
      - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
      {{- include "berth-lib.ca-volumes" $root | nindent 6 }}
{{- end -}}
