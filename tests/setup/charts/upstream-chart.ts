import type { ChartFiles } from './unusual-charts.ts';

const contents = { FieldProperty: { input: 'token', property: 'contents' } };

/**
 * Like charts of the upstream layout, it gets the contents of a secret as a value. It copies them to wherever members of the env can
 * look: annotations, labels, ConfigMaps and notes, in many encodings.
 */
export const upstreamChart: ChartFiles = {
  'Chart.yaml': 'apiVersion: v2\nname: upstream\nversion: 1.0.0\n',
  'values.yaml': 'conf: none\n',
  'templates/objects.yaml': `apiVersion: v1
kind: Service
metadata:
  name: web
  annotations: { conf: {{ .Values.conf | quote }}, encoded: {{ printf "k:%s" .Values.conf | b64enc | quote }} }
  labels: { conf: {{ .Values.conf | quote }}, encoded: {{ .Values.conf | b64enc | trimAll "=" | quote }} }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: made }
data:
  plain: {{ .Values.conf | quote }}
  url: "https://h/?k={{ printf "a b%s" .Values.conf | urlquery }}"
  encoded: {{ printf "kk%s" .Values.conf | b64enc | quote }}
  part: {{ .Values.conf | trunc 20 | quote }}
  sum: {{ .Values.conf | sha256sum | quote }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec: { rules: [{ host: "{{ .Values.conf }}.example.com" }] }
`,
  'templates/NOTES.txt':
    'plain {{ .Values.conf }} url {{ .Values.conf | urlquery }} encoded {{ printf "k%s" .Values.conf | b64enc }} url {{ printf "%s+ &" .Values.conf | urlquery }}\n',
  'platz/values-ui.yaml': `inputs:
  - { id: token, type: CollectionSelect, label: Token, collection: secrets, required: true }
outputs: ${JSON.stringify({ values: [{ path: ['conf'], value: contents }] })}
`,
  'platz/features.yaml': `apiVersion: platz.io/v1beta1
kind: Features
spec: { standard_ingress: true }
`,
  'platz/actions.yaml': `- apiVersion: platz.io/v1beta1
  kind: Action
  spec:
    id: unlock
    title: Unlock
    description: Takes a password.
    allowed_role: Maintainer
    endpoint: standard_ingress
    path: /unlock
    method: POST
    ui_schema:
      inputs:
        - { id: password, type: text, label: Password, sensitive: true }
        - { id: who, type: text, label: Who }
      outputs: { values: [{ path: [password], value: { FieldValue: { input: password } } }] }
`,
};
