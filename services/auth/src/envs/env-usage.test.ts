import { expect, test } from 'vitest';
import { refuseWhileInUse } from './env-usage.ts';

const none = { count: 0, names: [] };

test('an empty env may be deleted', () => {
  expect(() => refuseWhileInUse({ clusters: none, secrets: none, deployment_resources: none })).not.toThrow();
});

test('the refusal to delete an env names some of its contents and counts the rest', () => {
  const usage = {
    clusters: { count: 1, names: ['eu-1'] },
    secrets: { count: 3, names: ['db', 'mail'] },
    deployment_resources: none,
  };

  expect(() => refuseWhileInUse(usage)).toThrow(
    'The env is in use by 1 cluster (eu-1), and by 3 secrets (db, mail and 1 more)',
  );
});
