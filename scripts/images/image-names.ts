/** What an installation runs. */
export const installedTargets = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan', 'runner'] as const;
/** The targets of the Dockerfile. The image is named `berth-<target>`, and its content is in `dist/<target>`. */
export const targets = [...installedTargets, 'cli'] as const;
export type Target = (typeof targets)[number];

export interface Naming {
  /** Such as `registry.example.com/berth`; without it, image names have no registry. */
  readonly registry: string | undefined;
  readonly tag: string;
}

/** The full name, as container runtimes write it. */
export const imageName = (target: Target, { registry, tag }: Naming): string =>
  `${registry ?? 'docker.io/library'}/berth-${target}:${tag}`;
