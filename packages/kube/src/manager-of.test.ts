import { expect, test } from 'vitest';
import { managerOf } from './manager-of.ts';

test.for<[string | null, Record<string, string>, Record<string, string>]>([
  [null, {}, {}],
  [null, { 'app.kubernetes.io/managed-by': 'Helm' }, { 'meta.helm.sh/release-name': 'web' }],
  ['Argo CD (application shop)', {}, { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:a/b' }],
  ['Argo CD (application shop)', { 'argocd.argoproj.io/instance': 'shop' }, {}],
  [
    'Flux (HelmRelease apps/web)',
    { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'apps' },
    { 'meta.helm.sh/release-name': 'web' },
  ],
  ['Flux (Kustomization ?/all)', { 'kustomize.toolkit.fluxcd.io/name': 'all' }, {}],
  ['Fleet (bundle b)', {}, { 'fleet.cattle.io/bundle-id': 'b' }],
  ['the Helm release other', { 'app.kubernetes.io/managed-by': 'Helm' }, { 'meta.helm.sh/release-name': 'other' }],
  ['Berth', { 'app.kubernetes.io/managed-by': 'berth' }, {}],
  ['spinnaker', { 'app.kubernetes.io/managed-by': 'spinnaker' }, {}],
])('%s manages an object with the labels %j and annotations %j', ([manager, labels, annotations]) => {
  expect(managerOf({ labels, annotations }, 'web')).toBe(manager);
});

test('an object of any release belongs to it if no release may have it', () => {
  expect(managerOf({ labels: {}, annotations: { 'meta.helm.sh/release-name': 'web' } }, null)).toBe(
    'the Helm release web',
  );
});
