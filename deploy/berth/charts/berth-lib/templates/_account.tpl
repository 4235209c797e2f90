{{- define "berth-lib.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "berth-lib.metadata" . | nindent 2 }}
    {{- with .root.Values.serviceAccount.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .root.Values.serviceAccount.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
