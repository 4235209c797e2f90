/** Labels and annotations of an object, as another program may have set them. */
export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

type NameOf = (key: string) => string | undefined;

/** By what each tool marks the objects that it manages, the most specific first. */
const tools: readonly (readonly [key: string, words: (value: string, of: NameOf) => string])[] = [
  ['argocd.argoproj.io/tracking-id', (id) => `Argo CD (application ${id.split(':')[0] ?? ''})`],
  ['argocd.argoproj.io/instance', (name) => `Argo CD (application ${name})`],
  ['argocd.argoproj.io/managed-by', (name) => `Argo CD (in namespace ${name})`],
  [
    'helm.toolkit.fluxcd.io/name',
    (name, of) => `Flux (HelmRelease ${of('helm.toolkit.fluxcd.io/namespace') ?? '?'}/${name})`,
  ],
  [
    'kustomize.toolkit.fluxcd.io/name',
    (name, of) => `Flux (Kustomization ${of('kustomize.toolkit.fluxcd.io/namespace') ?? '?'}/${name})`,
  ],
  ['fleet.cattle.io/bundle-id', (name) => `Fleet (bundle ${name})`],
  ['objectset.rio.cattle.io/id', (name) => `Fleet (${name})`],
  ['kapp.k14s.io/app', () => 'kapp'],
];
const managedBy = 'app.kubernetes.io/managed-by';
const releaseName = 'meta.helm.sh/release-name';

/**
 * What manages an object beside the Helm release of this name; null if nothing does. With `release` null, being part of any release
 * counts too.
 */
export function managerOf({ labels, annotations }: Marks, release: string | null): string | null {
  const of: NameOf = (key) => annotations[key] ?? labels[key];
  for (const [key, words] of tools) {
    const value = of(key);
    if (value !== undefined) return words(value, of);
  }
  const other = of(releaseName);
  if (other !== undefined && other !== release) return `the Helm release ${other}`;
  const manager = of(managedBy);
  if (manager === undefined || manager.toLowerCase() === 'helm') return null;
  return manager === 'berth' ? 'Berth' : manager;
}
