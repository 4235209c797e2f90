/** Servers and command-line tools that npm does not provide, in the versions of `tools/go.mod`. */
export interface Tool {
  /** The version that `npm start` installs. */
  readonly version: string;
  /** Versions on the machine that are accepted instead: `from` ≤ version < `below`. */
  readonly accepts: { readonly from: string; readonly below: string };
  /** Arguments that print the version, and the pattern that finds it in the output. */
  readonly versionArguments: readonly string[];
  readonly versionPattern: RegExp;
  /** Variable with a path to use; if that is refused, the search ends with the reason. */
  readonly environment: string;
  readonly goPackage: string;
  /** The name that `go build` gives it, if that differs from the tool's. */
  readonly goBinary?: string;
  /**
   * Official releases by Node's `platform-arch`, if their publisher lists checksums. Other tools are built from the module, where
   * go.sum pins every byte.
   */
  readonly archives?: Readonly<Record<string, Archive>>;
}

export interface Archive {
  readonly url: string;
  /** The publisher's list of SHA-256: lines of checksum and name, or only the checksum. */
  readonly checksums: string;
  /** The path of the program in a `.tar.gz` or `.zip`; absent for a plain program. */
  readonly member?: string;
}

const kubernetes = {
  version: '1.36.3',
  accepts: { from: '1.36.0', below: '1.37.0' },
  versionArguments: ['--version'],
  versionPattern: /Kubernetes v(\S+)/,
};

/** By Node's `platform-arch`; `of` receives the publisher's names. */
const onPlatforms = (
  platforms: readonly ('linux-x64' | 'linux-arm64' | 'darwin-arm64')[],
  of: (system: string, architecture: string) => Archive,
): Record<string, Archive> =>
  Object.fromEntries(
    platforms.map((platform) => {
      const [system = '', architecture = ''] = platform.split('-');
      return [platform, of(system, architecture === 'x64' ? 'amd64' : architecture)];
    }),
  );

const linux = ['linux-x64', 'linux-arm64'] as const;
const linuxAndMac = [...linux, 'darwin-arm64'] as const;

const kubernetesArchives = (name: string) =>
  onPlatforms(linux, (system, architecture) => {
    const url = `https://dl.k8s.io/release/v${kubernetes.version}/bin/${system}/${architecture}/${name}`;
    return { url, checksums: `${url}.sha256` };
  });

export const toolTable = {
  helm: {
    version: '4.3.1',
    accepts: { from: '4.3.0', below: '5.0.0' },
    versionArguments: ['version', '--short'],
    versionPattern: /v(\d\S*)/,
    environment: 'BERTH_HELM',
    goPackage: 'helm.sh/helm/v4/cmd/helm',
    archives: onPlatforms(linuxAndMac, (system, architecture) => {
      const url = `https://get.helm.sh/helm-v4.3.1-${system}-${architecture}.tar.gz`;
      return { url, checksums: `${url}.sha256sum`, member: `${system}-${architecture}/helm` };
    }),
  },
  'nats-server': {
    version: '2.15.2',
    accepts: { from: '2.12.0', below: '3.0.0' },
    versionArguments: ['--version'],
    versionPattern: /nats-server: v(\S+)/,
    environment: 'BERTH_NATS_SERVER',
    goPackage: 'github.com/nats-io/nats-server/v2',
    archives: onPlatforms(linuxAndMac, (system, architecture) => {
      const release = 'https://github.com/nats-io/nats-server/releases/download/v2.15.2';
      const name = `nats-server-v2.15.2-${system}-${architecture}`;
      return { url: `${release}/${name}.tar.gz`, checksums: `${release}/SHA256SUMS`, member: `${name}/nats-server` };
    }),
  },
  etcd: {
    version: '3.7.3',
    accepts: { from: '3.6.0', below: '4.0.0' },
    versionArguments: ['--version'],
    versionPattern: /etcd Version: (\S+)/,
    environment: 'BERTH_ETCD',
    goPackage: 'go.etcd.io/etcd/server/v3',
    goBinary: 'server',
    archives: onPlatforms(linuxAndMac, (system, architecture) => {
      const release = 'https://github.com/etcd-io/etcd/releases/download/v3.7.3';
      const name = `etcd-v3.7.3-${system}-${architecture}`;
      const file = `${name}.${system === 'darwin' ? 'zip' : 'tar.gz'}`;
      return { url: `${release}/${file}`, checksums: `${release}/SHA256SUMS`, member: `${name}/etcd` };
    }),
  },
  'kube-apiserver': {
    ...kubernetes,
    environment: 'BERTH_KUBE_APISERVER',
    goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver',
    archives: kubernetesArchives('kube-apiserver'),
  },
  'kube-controller-manager': {
    ...kubernetes,
    environment: 'BERTH_KUBE_CONTROLLER_MANAGER',
    goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager',
    archives: kubernetesArchives('kube-controller-manager'),
  },
  'kube-scheduler': {
    ...kubernetes,
    environment: 'BERTH_KUBE_SCHEDULER',
    goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler',
    archives: kubernetesArchives('kube-scheduler'),
  },
  kubelet: {
    ...kubernetes,
    environment: 'BERTH_KUBELET',
    goPackage: 'k8s.io/kubernetes/cmd/kubelet',
    archives: kubernetesArchives('kubelet'),
  },
  'kube-proxy': {
    ...kubernetes,
    environment: 'BERTH_KUBE_PROXY',
    goPackage: 'k8s.io/kubernetes/cmd/kube-proxy',
    archives: kubernetesArchives('kube-proxy'),
  },
  kwok: {
    version: '0.8.0',
    // Our stages are written for this version: stages are alpha and change between minor versions.
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
    archives: onPlatforms(linux, (system, architecture) => {
      const release = 'https://github.com/distribution/distribution/releases/download/v3.1.2';
      const url = `${release}/registry_3.1.2_${system}_${architecture}.tar.gz`;
      return { url, checksums: `${url}.sha256`, member: 'registry' };
    }),
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof toolTable;

/** Tools that only a real node needs, which runs on Linux as root. */
export const nodeToolNames = ['kubelet', 'kube-proxy'] as const satisfies ToolName[];
export type NodeToolName = (typeof nodeToolNames)[number];

/** Tools that every stack needs. */
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
