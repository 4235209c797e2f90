import { stringify } from 'yaml';
import { NODE_ADDRESS } from '../kubernetes/addresses.ts';
import { NODE_CGROUP } from './node-cgroup.ts';

export const NODE_INTERFACE = 'berthnode';
export const POD_NETWORK = '10.244.200.0/24';
/** In the comment of each rule that the plugins make. */
export const POD_NETWORK_NAME = 'berth-pods';
export const PAUSE_IMAGE = 'berth.local/pause:1';

export interface NodeFiles {
  readonly folder: string;
  readonly socket: string;
  readonly clientAuthority: string;
}

/** containerd in a separate folder: an installed one is neither read nor changed. */
export const containerdConfiguration = ({ folder, socket }: NodeFiles): string => `version = 2
root = "${folder}/containerd"
state = "${folder}/run"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # Where root is not allowed to lower it, no container would start.
  restrict_oom_score_adj = true
  # Below the folder too, instead of where those of all programs are.
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
`;

/** Point to point: the host routes traffic between pods and services, where kube-proxy balances it. */
export const podNetwork = (folder: string): string =>
  JSON.stringify({
    cniVersion: '0.4.0',
    name: POD_NETWORK_NAME,
    plugins: [
      {
        type: 'ptp',
        ipMasq: true,
        ipam: {
          type: 'host-local',
          dataDir: `${folder}/addresses`,
          ranges: [[{ subnet: POD_NETWORK }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });

export const kubeletConfiguration = ({ socket, clientAuthority }: NodeFiles): string =>
  stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: NODE_CGROUP,
    containerRuntimeEndpoint: `unix://${socket}`,
    address: NODE_ADDRESS,
    healthzPort: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: clientAuthority },
    },
    authorization: { mode: 'Webhook' },
    clusterDNS: [NODE_ADDRESS],
    clusterDomain: 'cluster.local',
    failSwapOn: false,
    // Garbage collection would remove images that cannot be pulled again.
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'memory.available': '1%',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
  });
