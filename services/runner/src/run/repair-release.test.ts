import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import type { Secret } from '../cluster/kube-objects.ts';
import { repairRelease } from './repair-release.ts';

const claim = { task_id: 'this', fence: 3, namespace: 'n', deployment_id: 'd' };
let payload: string;
beforeAll(async () => {
  const zipped = await promisify(gzip)(JSON.stringify({ info: { status: 'pending-upgrade' }, version: 1 }));
  payload = Buffer.from(zipped.toString('base64'), 'latin1').toString('base64');
});

/** A pending release. `meanwhile` runs when the namespace is read, which then names `holder`. */
function cluster(holder: string, meanwhile: () => void = () => undefined) {
  const secret = (version: number): Secret => ({
    metadata: {
      name: 'sh.helm.release.v1.n.v1',
      labels: { version: '1', 'berth-task-id': 'that', 'berth-fence': '2' },
      resourceVersion: String(version),
    },
    type: 'helm.sh/release.v1',
    data: { release: payload },
  });
  const state = { version: 1, replaced: 0 };
  const client = {
    releaseRevisions: async () => [secret(state.version).metadata],
    readSecret: async () => secret(state.version),
    readNamespace: async () => {
      meanwhile();
      return { metadata: { name: 'n', annotations: { [namespaceAnnotations.claim]: holder } } };
    },
    replaceSecret: async (_: string, { metadata }: Pick<Secret, 'metadata'>) => {
      if (metadata.resourceVersion !== String(state.version)) return false;
      state.replaced += 1;
      return true;
    },
  };
  return { state, client };
}

test('a release that was left pending is set to failed by the claim that the namespace names', async () => {
  const { state, client } = cluster('this:3');

  await repairRelease(claim, client);

  expect(state.replaced).toBe(1);
});

test('a claim that was taken over does not repair the release', async () => {
  const { state, client } = cluster('this:4');

  await expect(repairRelease(claim, client)).rejects.toThrow('taken over');
  expect(state.replaced).toBe(0);
});

test('a release is not set to failed if the next claim began to work on it while this machine slept', async () => {
  const slept = () => {
    state.version = 2;
  };
  // The machine sleeps after it has read the namespace, which still named this claim.
  const { state, client } = cluster('this:3', slept);

  await expect(repairRelease(claim, client)).rejects.toThrow('changed by others at the same time');
  expect(state.replaced).toBe(0);
});
