/** The targets of the Dockerfile. `berth-<target>` is the name of the image, `dist/<target>` its content. */
export const targets = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan', 'runner'] as const;
export type Target = (typeof targets)[number];

export interface Naming {
  /** Such as `registry.example.com/berth`; without one the image has a bare name. */
  readonly registry: string | undefined;
  readonly tag: string;
}

/** The complete name, as container runtimes write it. */
export const imageName = (target: Target, { registry, tag }: Naming): string =>
  `${registry ?? 'docker.io/library'}/berth-${target}:${tag}`;
