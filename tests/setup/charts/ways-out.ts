import {
  binding,
  crd,
  ingress,
  lookup,
  object,
  own,
  pod,
  rbac,
  role,
  secret,
  webhook,
  type KubeObject,
} from './objects-of-ways-out.ts';

export interface WayOut {
  /** Ends the sentence "a chart that …". */
  way: string;
  /** The objects or the template of the chart. */
  renders: readonly KubeObject[] | string;
  refusedBecause: RegExp;
}

/** RBAC refuses it for the account of the deployment. */
const forbidden = /forbidden|cannot|grant/;
const escalation = /is attempting to grant RBAC permissions not currently held|grant/;
const podSecurity = /violates PodSecurity "baseline/;

export const berthHost = 'berth.example.com';
export const ingressDomain = 'apps.example.com';
const anotherHost = /lies in the ingress domain|hostname|host /;

export const waysOut: readonly WayOut[] = [
  {
    way: 'looks up a Secret of another namespace',
    renders: lookup('"v1" "Secret" "kube-system" "bait"'),
    refusedBecause: forbidden,
  },
  { way: 'looks up all Secrets', renders: lookup('"v1" "Secret" "" ""'), refusedBecause: forbidden },
  { way: 'looks up all namespaces', renders: lookup('"v1" "Namespace" "" ""'), refusedBecause: forbidden },
  {
    way: 'writes into another namespace',
    renders: [object('v1', 'ConfigMap', { name: own, namespace: 'default' })],
    refusedBecause: forbidden,
  },
  {
    way: 'makes a token of an account in kube-system',
    renders: [secret('kube-system', 'default')],
    refusedBecause: forbidden,
  },
  {
    way: 'makes a token of the account with which it is deployed',
    renders: [secret('berth-deployers', 'deployment')],
    refusedBecause: forbidden,
  },
  {
    way: 'has a hook in another namespace',
    renders: [
      object('v1', 'ConfigMap', { name: own, namespace: 'default', annotations: { 'helm.sh/hook': 'pre-install' } }),
    ],
    refusedBecause: forbidden,
  },
  {
    way: 'makes itself an administrator of its namespace',
    renders: [binding('RoleBinding', 'cluster-admin')],
    refusedBecause: escalation,
  },
  { way: 'binds the role admin to itself', renders: [binding('RoleBinding', 'admin')], refusedBecause: escalation },
  {
    way: 'makes itself an administrator of the cluster',
    renders: [binding('ClusterRoleBinding', 'cluster-admin')],
    refusedBecause: forbidden,
  },
  {
    way: 'binds the role of deployments in the whole cluster',
    renders: [binding('ClusterRoleBinding', 'berth-deployer')],
    refusedBecause: forbidden,
  },
  {
    way: 'grants the right to patch its Namespace',
    renders: [role('Role', { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'patch'] })],
    refusedBecause: escalation,
  },
  {
    way: 'makes a Role with all rights',
    renders: [role('Role', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] })],
    refusedBecause: escalation,
  },
  {
    way: 'makes a Role that may impersonate',
    renders: [role('Role', { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] })],
    refusedBecause: escalation,
  },
  {
    way: 'makes a ClusterRole',
    renders: [role('ClusterRole', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] })],
    refusedBecause: forbidden,
  },
  {
    way: 'adds rights to the role admin by aggregation',
    renders: [
      role(
        'ClusterRole',
        { apiGroups: [''], resources: ['nodes'], verbs: ['*'] },
        { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
      ),
    ],
    refusedBecause: forbidden,
  },
  {
    way: 'replaces the binding of its own account',
    renders: [
      object(
        rbac,
        'RoleBinding',
        { name: 'berth-deployer' },
        { roleRef: binding('RoleBinding', 'berth-deployer')['roleRef'], subjects: [] },
      ),
    ],
    refusedBecause: /RoleBinding "?berth-deployer|cannot be imported/,
  },
  {
    way: 'mounts a folder of the node',
    renders: [pod({ volumes: [{ name: 'root', hostPath: { path: '/' } }] })],
    refusedBecause: podSecurity,
  },
  {
    way: 'runs a privileged container',
    renders: [pod({}, { securityContext: { privileged: true } })],
    refusedBecause: podSecurity,
  },
  {
    way: 'adds capabilities',
    renders: [pod({}, { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } })],
    refusedBecause: podSecurity,
  },
  { way: 'uses the network of the node', renders: [pod({ hostNetwork: true })], refusedBecause: podSecurity },
  { way: 'sees the processes of the node', renders: [pod({ hostPID: true })], refusedBecause: podSecurity },
  { way: 'shares the memory of the node', renders: [pod({ hostIPC: true })], refusedBecause: podSecurity },
  {
    way: 'takes a port of the node',
    renders: [pod({}, { ports: [{ containerPort: 80, hostPort: 80 }] })],
    refusedBecause: podSecurity,
  },
  {
    way: 'checks all writes of the cluster',
    renders: [webhook('ValidatingWebhookConfiguration')],
    refusedBecause: forbidden,
  },
  {
    way: 'changes all writes of the cluster',
    renders: [webhook('MutatingWebhookConfiguration')],
    refusedBecause: forbidden,
  },
  { way: 'defines a custom resource', renders: [crd], refusedBecause: forbidden },
  {
    way: 'takes over a part of the API',
    renders: [
      object(
        'apiregistration.k8s.io/v1',
        'APIService',
        { name: 'v1.example.com' },
        {
          spec: {
            group: 'example.com',
            version: 'v1',
            groupPriorityMinimum: 1000,
            versionPriority: 15,
            service: { name: 'a', namespace: own },
          },
        },
      ),
    ],
    refusedBecause: forbidden,
  },
  {
    way: 'makes a priority above all others',
    renders: [
      object('scheduling.k8s.io/v1', 'PriorityClass', { name: own }, { value: 1_000_000, globalDefault: true }),
    ],
    refusedBecause: forbidden,
  },
  {
    way: 'makes a storage class',
    renders: [object('storage.k8s.io/v1', 'StorageClass', { name: own }, { provisioner: 'example.com/a' })],
    refusedBecause: forbidden,
  },
  {
    way: 'makes a volume of a folder of the node',
    renders: [
      object(
        'v1',
        'PersistentVolume',
        { name: own },
        {
          spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/' } },
        },
      ),
    ],
    refusedBecause: forbidden,
  },
  { way: 'makes a node', renders: [object('v1', 'Node', { name: own })], refusedBecause: forbidden },
  {
    way: 'makes a namespace',
    renders: [object('v1', 'Namespace', { name: `${own}-second` })],
    refusedBecause: forbidden,
  },
  {
    way: 'makes a runtime class',
    renders: [object('node.k8s.io/v1', 'RuntimeClass', { name: own }, { handler: 'runc' })],
    refusedBecause: forbidden,
  },
  {
    way: 'takes a hostname of another deployment',
    renders: [ingress(`other.${ingressDomain}`)],
    refusedBecause: anotherHost,
  },
  { way: 'takes the host of Berth', renders: [ingress(berthHost)], refusedBecause: /host of Berth|own host/ },
  {
    way: 'takes all hostnames of the ingress domain',
    renders: [ingress(`*.${ingressDomain}`)],
    refusedBecause: anotherHost,
  },
  { way: 'takes every hostname', renders: [ingress(null)], refusedBecause: /without a host/ },
  {
    way: 'forwards its Service to a foreign address',
    renders: [
      object(
        'v1',
        'Endpoints',
        { name: own },
        { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 443 }] }] },
      ),
    ],
    refusedBecause: forbidden,
  },
  {
    way: 'forwards its Service to a foreign address by an EndpointSlice',
    renders: [
      object(
        'discovery.k8s.io/v1',
        'EndpointSlice',
        { name: own, labels: { 'kubernetes.io/service-name': 'a' } },
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.0.0.1'] }],
          ports: [{ port: 443 }],
        },
      ),
    ],
    refusedBecause: forbidden,
  },
];
