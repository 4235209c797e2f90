import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE_NETWORK } from './addresses.ts';
import type { Certificates } from './certificates.ts';

export const kubernetesTools = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
export type KubernetesTool = (typeof kubernetesTools)[number];

/** The addresses and files with which the parts of the cluster find each other. */
export interface ClusterLayout {
  readonly folder: string;
  readonly ports: Readonly<Record<'etcd' | 'etcdPeer' | 'api', number>>;
  readonly certificates: Certificates;
  readonly kubeconfigFile: string;
  readonly durable: boolean;
}

const LOOPBACK = '127.0.0.1';

export const etcdUrl = ({ ports }: ClusterLayout) => `https://${LOOPBACK}:${ports.etcd}`;
export const apiUrl = ({ ports }: Pick<ClusterLayout, 'ports'>) => `https://${LOOPBACK}:${ports.api}`;

/** The command-line arguments of each part of the control plane. */
export const componentArguments: Record<KubernetesTool, (layout: ClusterLayout) => string[]> = {
  etcd: (layout) => {
    const { authority, server } = layout.certificates;
    const peerUrl = `https://${LOOPBACK}:${layout.ports.etcdPeer}`;
    return [
      `--data-dir=${join(layout.folder, 'etcd')}`,
      `--listen-client-urls=${etcdUrl(layout)}`,
      `--advertise-client-urls=${etcdUrl(layout)}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      // etcd serves all data of the cluster, including secrets, so it requires client certificates.
      '--client-cert-auth',
      `--trusted-ca-file=${authority}`,
      `--cert-file=${server.certificate}`,
      `--key-file=${server.key}`,
      '--peer-client-cert-auth',
      `--peer-trusted-ca-file=${authority}`,
      `--peer-cert-file=${server.certificate}`,
      `--peer-key-file=${server.key}`,
      '--log-level=warn',
      ...(layout.durable ? [] : ['--unsafe-no-fsync']),
    ];
  },

  'kube-apiserver': (layout) => {
    const { authority, server, serviceAccount, admin } = layout.certificates;
    return [
      `--etcd-servers=${etcdUrl(layout)}`,
      `--etcd-cafile=${authority}`,
      `--etcd-certfile=${server.certificate}`,
      `--etcd-keyfile=${server.key}`,
      `--bind-address=${LOOPBACK}`,
      `--advertise-address=${LOOPBACK}`,
      `--secure-port=${layout.ports.api}`,
      `--tls-cert-file=${server.certificate}`,
      `--tls-private-key-file=${server.key}`,
      `--client-ca-file=${authority}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${serviceAccount.publicKey}`,
      `--service-account-signing-key-file=${serviceAccount.key}`,
      `--service-cluster-ip-range=${SERVICE_NETWORK}`,
      '--authorization-mode=RBAC',
      '--allow-privileged',
      '--profiling=false',
      // For requests to the kubelet of a real node: logs and commands of pods.
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-client-certificate=${admin.certificate}`,
      `--kubelet-client-key=${admin.key}`,
      // There is only one API server, and a real node tells its pods the address.
      '--endpoint-reconciler-type=none',
    ];
  },

  'kube-controller-manager': ({ kubeconfigFile, certificates }) => [
    `--kubeconfig=${kubeconfigFile}`,
    `--service-account-private-key-file=${certificates.serviceAccount.key}`,
    `--root-ca-file=${certificates.authority}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--profiling=false',
  ],

  'kube-scheduler': ({ kubeconfigFile }) => [
    `--kubeconfig=${kubeconfigFile}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--profiling=false',
  ],

  kwok: ({ kubeconfigFile }) => [
    `--kubeconfig=${kubeconfigFile}`,
    ...['nodes', 'pods', 'volumes'].map((name) => `--config=${stageFile(name)}`),
    '--manage-all-nodes=false',
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    '--node-lease-duration-seconds=40',
  ],
};

const stageFile = (name: string) => fileURLToPath(new URL(`./stages/${name}.yaml`, import.meta.url));
