/** The servers and command-line tools that npm does not carry. Versions are those of `tools/go.mod`. */
export interface Tool {
  /** What `npm start` brings. */
  readonly version: string;
  /** What it takes from the machine instead: `from` ≤ version < `below`. */
  readonly accepts: { readonly from: string; readonly below: string };
  /** The arguments that print its version, and the pattern that finds the version in the output. */
  readonly versionArguments: readonly string[];
  readonly versionPattern: RegExp;
  /** A path given here is used, or refused with the reason; nothing else is then looked for. */
  readonly environment: string;
  readonly goPackage: string;
  /** What `go build` calls it, where that differs from the name of the tool. */
  readonly goBinary?: string;
  /**
   * Official releases by `platform-arch` of Node. Only with a checksum its publisher gave: a tool of which we have none
   * has no archive, and is built from the module, where go.sum pins every byte.
   */
  readonly archives?: Readonly<Record<string, Archive>>;
}

export interface Archive {
  readonly url: string;
  readonly sha256: string;
  /** The path of the program inside a `.tar.gz`; a plain program has none. */
  readonly member?: string;
}

const kubernetes = {
  version: '1.36.3',
  accepts: { from: '1.36.0', below: '1.37.0' },
  versionArguments: ['--version'],
  versionPattern: /Kubernetes v(\S+)/,
};

export const toolTable = {
  helm: {
    version: '4.3.1',
    accepts: { from: '4.3.0', below: '5.0.0' },
    versionArguments: ['version', '--short'],
    versionPattern: /v(\d\S*)/,
    environment: 'BERTH_HELM',
    goPackage: 'helm.sh/helm/v4/cmd/helm',
  },
  'nats-server': {
    version: '2.15.2',
    accepts: { from: '2.12.0', below: '3.0.0' },
    versionArguments: ['--version'],
    versionPattern: /nats-server: v(\S+)/,
    environment: 'BERTH_NATS_SERVER',
    goPackage: 'github.com/nats-io/nats-server/v2',
  },
  etcd: {
    version: '3.7.3',
    accepts: { from: '3.6.0', below: '4.0.0' },
    versionArguments: ['--version'],
    versionPattern: /etcd Version: (\S+)/,
    environment: 'BERTH_ETCD',
    goPackage: 'go.etcd.io/etcd/server/v3',
    goBinary: 'server',
  },
  'kube-apiserver': {
    ...kubernetes,
    environment: 'BERTH_KUBE_APISERVER',
    goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver',
  },
  'kube-controller-manager': {
    ...kubernetes,
    environment: 'BERTH_KUBE_CONTROLLER_MANAGER',
    goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  'kube-scheduler': {
    ...kubernetes,
    environment: 'BERTH_KUBE_SCHEDULER',
    goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler',
  },
  kubelet: {
    ...kubernetes,
    environment: 'BERTH_KUBELET',
    goPackage: 'k8s.io/kubernetes/cmd/kubelet',
  },
  'kube-proxy': {
    ...kubernetes,
    environment: 'BERTH_KUBE_PROXY',
    goPackage: 'k8s.io/kubernetes/cmd/kube-proxy',
  },
  kwok: {
    version: '0.8.0',
    // Our stages are written for this one; stages are alpha and change between minor versions.
    accepts: { from: '0.8.0', below: '0.9.0' },
    versionArguments: ['--version'],
    versionPattern: /kwok version v(\S+)/,
    environment: 'BERTH_KWOK',
    goPackage: 'sigs.k8s.io/kwok/cmd/kwok',
  },
  registry: {
    version: '3.1.2',
    accepts: { from: '3.0.0', below: '4.0.0' },
    versionArguments: ['--version'],
    versionPattern: /distribution\/v3 v(\S+)/,
    environment: 'BERTH_REGISTRY',
    goPackage: 'github.com/distribution/distribution/v3/cmd/registry',
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof toolTable;

/** What only a real node needs, which runs on Linux, as root. */
export const nodeToolNames = ['kubelet', 'kube-proxy'] as const satisfies ToolName[];
export type NodeToolName = (typeof nodeToolNames)[number];

/** What every stack needs. */
export type StackToolName = Exclude<ToolName, NodeToolName>;

export const toolNames = [
  'helm',
  'nats-server',
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'registry',
] as const satisfies StackToolName[];
