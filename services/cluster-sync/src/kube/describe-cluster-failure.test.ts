import { KubeError } from '@berth/kube/kube-error';
import { expect, test } from 'vitest';
import { describeClusterFailure } from './describe-cluster-failure.ts';

const words = (status: number) =>
  describeClusterFailure(new KubeError({ status, body: '{}' }), 'https://10.0.0.1:6443');

test('a missing permission names the manifest that grants it, and no other failure does', () => {
  expect(words(403)).toBe(
    'the credential of Berth lacks a permission at 10.0.0.1:6443 (403); deploy/rbac/cluster-sync.yaml of this version has what it needs',
  );
  expect(words(401)).toBe('10.0.0.1:6443 refused the credential of Berth (401)');
});
