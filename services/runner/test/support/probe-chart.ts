/** A chart that fails, waits or prints, depending on its values. */
export const testChartFiles: Record<string, string> = {
  'Chart.yaml': 'apiVersion: v2\nname: probe\nversion: 1.0.0\n',
  'values.yaml': 'text: hello\n',
  'templates/map.yaml': `{{- if .Values.fail }}{{ fail (printf "%s%c" .Values.fail 0) }}{{ end }}
apiVersion: v1
kind: ConfigMap
metadata: { name: probe }
data: { text: {{ .Values.text | quote }} }
# As bytes: text of a template would be parsed as YAML once more.
binaryData: { exact: {{ .Values.exact | toRawJson | b64enc | quote }} }
`,
  // Typical values that charts derive from a secret.
  'templates/derived.yaml': `{{- with .Values.conf }}
{{- if contains "refused" . }}{{ fail "not these contents" }}{{ end }}
apiVersion: v1
kind: ConfigMap
metadata: { name: derived, annotations: { short: {{ trunc 8 . | quote }} } }
data:
  url: "https://h/?k={{ . | urlquery }}"
  basic: {{ printf "k:%s" . | b64enc | quote }}
  sum: {{ sha256sum . | quote }}
  part: {{ substr 3 9 . | quote }}
  ports: {{ tpl "{{ len .Values.conf }}" $ | quote }}
  plain: {{ $.Values.text | quote }}
  {{ . | sha512sum | trunc 20 | quote }}: a name
---
apiVersion: v1
kind: ConfigMap
metadata: { name: named-{{ sha1sum . | trunc 10 }} }
data: { text: fixed }
{{- end }}
`,
  'templates/many.yaml': `{{- range until (int .Values.many) }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: many-{{ . }} }
data: { text: {{ repeat (int $.Values.bytes) "x" }} }
{{- end }}
`,
  'templates/objects.yaml': `{{- range .Values.objects }}
---
{{ toYaml . }}
{{- end }}
`,
  'templates/pieces.yaml': `{{- if .Values.pieces }}
apiVersion: v1
kind: ConfigMap
metadata: { name: hook, annotations: { helm.sh/hook: "pre-install,pre-upgrade" } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: second }
{{- end }}
`,
  // No node has the label, so waiting for the pods never ends.
  'templates/slow.yaml': `{{- if .Values.slow }}
apiVersion: apps/v1
kind: Deployment
metadata: { name: slow }
spec:
  replicas: 1
  selector: { matchLabels: { app: slow } }
  template:
    metadata: { labels: { app: slow } }
    spec:
      nodeSelector: { never: "yes" }
      containers: [{ name: slow, image: slow }]
---
# Runs once the rest is ready, so Helm waits for that itself.
apiVersion: v1
kind: ConfigMap
metadata: { name: later, annotations: { helm.sh/hook: "post-install,post-upgrade" } }
{{- end }}
`,
};
