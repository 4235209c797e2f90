import type { ChartFiles } from './unusual-charts.ts';

const options = '[{ value: small }, { value: large }]';
const vaults = '{ deployment: Showcase, type: vault }';
const inputs = `
  - { id: title, type: text, label: Title, required: true }
  - { id: notes, type: array, itemType: text, label: Notes }
  - { id: replicas, type: number, label: Replicas, minimum: "1", maximum: "9", step: "1" }
  - { id: ports, type: array, itemType: number, label: Ports }
  - { id: debug, type: Checkbox, label: Debug }
  - { id: flags, type: array, itemType: Checkbox, label: Flags }
  - { id: size, type: RadioSelect, label: Size, options: ${options} }
  - { id: sizes, type: array, itemType: RadioSelect, label: Sizes, options: ${options} }
  - { id: night, type: DaysAndHour, label: Night }
  - { id: nights, type: array, itemType: DaysAndHour, label: Nights }
  - { id: peer, type: CollectionSelect, label: Peer, collection: deployments }
  - { id: peers, type: array, itemType: CollectionSelect, label: Peers, collection: deployments }
  - { id: token, type: CollectionSelect, label: Token, collection: secrets }
  - { id: tokens, type: array, itemType: CollectionSelect, label: Tokens, collection: secrets }
  - { id: vault, type: CollectionSelect, label: Vault, collection: ${vaults} }
  - { id: vaults, type: array, itemType: CollectionSelect, label: Vaults, collection: vault }
  - { id: extra, type: text, label: Extra, showIfAll: [{ field: debug, value: true }] }
  - { id: many, type: text, label: Many, showIf: { ">": [{ var: replicas }, 2] } }
`;

const single = ['title', 'replicas', 'debug', 'size', 'night', 'extra', 'many'];
const lists = ['notes', 'ports', 'flags', 'sizes', 'nights'];
/** The property of referenced items that is in the values. */
const items = { peer: 'name', peers: 'name', token: 'name', tokens: 'name', vault: 'size', vaults: 'size' };
const outputs = [
  ...[...single, ...lists].map((input) => ({ path: ['resolved', input], value: { FieldValue: { input } } })),
  ...Object.entries(items).map(([input, property]) => ({
    path: ['resolved', input],
    value: { FieldProperty: { input, property } },
  })),
];
const secrets = {
  logins: {
    token: { FieldProperty: { input: 'token', property: 'contents' } },
    tokens: { FieldProperty: { input: 'tokens', property: 'contents' } },
    vault: { FieldProperty: { input: 'vault', property: 'password' } },
    vaults: { FieldProperty: { input: 'vaults', property: 'password' } },
  },
};

const configMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata:\n${data}\n`;

/**
 * Every type of input, alone and in a list, with all collections, conditions, and resources that its deployments manage. Resolved
 * values are JSON entries of the ConfigMap `resolved`; secret ones are in the Secret `logins`.
 */
export const showcaseChart: ChartFiles = {
  'Chart.yaml': 'apiVersion: v2\nname: showcase\nversion: 1.0.0\n',
  'values.yaml': 'resolved: { by-default: 1 }\n',
  'templates/resolved.yaml': configMap(
    'resolved',
    '{{ range $key, $value := .Values.resolved }}  {{ $key }}: {{ $value | toJson | quote }}\n{{ end }}',
  ),
  'templates/extra.yaml': `{{ if .Values.resolved.extra }}${configMap('extra', '  a: b')}{{ end }}`,
  'templates/fixed.yaml': configMap('fixed', '  a: b'),
  'berth/values-ui.yaml': `apiVersion: berth.dev/v1beta1
kind: ValuesUi
inputs:${inputs}
outputs: ${JSON.stringify({ values: outputs, secrets })}
`,
  'berth/features.yaml': `apiVersion: berth.dev/v1beta2
kind: Features
spec:
  ingress: { enabled: true, hostname_format: Name }
`,
  'berth/resources.yaml': `
- apiVersion: berth.dev/v1beta1
  kind: ResourceType
  key: vault
  spec:
    name_singular: Vault
    name_plural: Vaults
    iconset_icon: lock
    values_ui:
      inputs:
        - { id: size, type: number, label: Size, required: true }
        - { id: password, type: text, label: Password, sensitive: true }
    lifecycle:
      create: { target: { endpoint: standard_ingress, path: /vaults, method: POST } }
      update: { target: { endpoint: standard_ingress, path: /vaults, method: PUT } }
      delete: { target: { endpoint: standard_ingress, path: /vaults, method: DELETE } }
`,
};
