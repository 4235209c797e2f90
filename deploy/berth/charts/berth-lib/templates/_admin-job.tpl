{{/* One command of `berth-admin`: before an upgrade as a hook; with an installation beside the services, which wait for it. */}}
{{- define "berth-lib.admin-job" -}}
{{- $root := .root -}}
{{- $global := $root.Values.global -}}
{{- $labels := dict "root" $root "component" (printf "%s-%s" .component .job) -}}
{{- $image := dict "root" $root "component" .component -}}
{{- $name := printf "%s-%s" (include "berth-lib.part-name" .) .job -}}
{{- if not $root.Release.IsUpgrade -}}
{{- $name = printf "%s-%s" $name (printf "%s %s" (include "berth-lib.image" $image) (toJson .files) | sha256sum | trunc 8) -}}
{{- end -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "berth-lib.labels" $labels | nindent 4 }}
  annotations:
    {{- if $root.Release.IsUpgrade }}
    helm.sh/hook: pre-upgrade
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    {{- end }}
    {{- with $global.jobs.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  backoffLimit: 6
  activeDeadlineSeconds: {{ int $global.jobs.deadlineSeconds }}
  template:
    metadata:
      labels:
        {{- include "berth-lib.labels" $labels | nindent 8 }}
        berth.dev/uses-database: "true"
      {{- with $global.jobs.annotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      restartPolicy: OnFailure
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext: {{- include "berth-lib.pod-security" $root | nindent 8 }}
      {{- include "berth-lib.placement" $root | nindent 6 }}
      containers:
        - name: {{ .job }}
          image: {{ include "berth-lib.image" $image }}
          imagePullPolicy: {{ $global.image.pullPolicy }}
          args: [{{ .command }}]
          env:
            - { name: NODE_ENV, value: production }
            - { name: LOG_LEVEL, value: {{ $global.logLevel | quote }} }
            {{- include "berth-lib.secret-env" (dict "files" .files) | nindent 12 }}
          securityContext: {{- include "berth-lib.container-security" $root | nindent 12 }}
          resources: {{- toYaml $global.jobs.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /run/berth, readOnly: true }
            - { name: tmp, mountPath: /tmp }
      volumes:
        {{- include "berth-lib.secret-volume" (dict "files" .files) | nindent 8 }}
        - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end -}}
