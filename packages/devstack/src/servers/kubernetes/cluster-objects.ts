/** Objects that are created in the cluster before anything runs on it. */
export function clusterObjects({ nodes, version }: { nodes: number; version: string }) {
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
  return [...numbers.map((number) => nodeObject(number, version)), storageClass];
}

const nodeObject = (number: number, version: string) => ({
  path: `/api/v1/nodes/simulated-${number}`,
  object: {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: `simulated-${number}`,
      annotations: {
        'kwok.x-k8s.io/node': 'fake',
        'berth.dev/node-ip': `10.250.0.${number}`,
        'berth.dev/kubelet-version': `v${version}`,
      },
      labels: {
        'kubernetes.io/hostname': `simulated-${number}`,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'local',
        'topology.kubernetes.io/zone': `local-${number}`,
      },
    },
    spec: { podCIDR: `10.244.${number}.0/24`, podCIDRs: [`10.244.${number}.0/24`] },
  },
});

const storageClass = {
  path: '/apis/storage.k8s.io/v1/storageclasses/standard',
  object: {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'simulated.berth.dev/volume',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  },
};
