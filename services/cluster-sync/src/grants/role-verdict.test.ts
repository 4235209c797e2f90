import { expect, test } from 'vitest';
import { type RoleVerdict, roleVerdict } from './role-verdict.ts';

const labels = { 'berth.dev/grantable': 'true' };
const accepted = { 'berth.dev/cluster-admin': 'accepted' };
const level = (name: string) => ({ 'berth.dev/pod-security': name });
const widgets = [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }];
const secrets = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
const role = (annotations: Record<string, string>, rules: object[] | null = widgets) => ({
  metadata: { labels, annotations },
  rules,
});

const operator = 'an operator of the cluster';
const allowed = { podSecurity: null };
const missing = {
  refused: `The cluster has no ClusterRole r, which a grant names: ${operator} creates it, or a site admin revokes the grant`,
};
const unlabelled = {
  refused: `The ClusterRole r, which a grant names, lacks the label berth.dev/grantable: "true": ${operator} sets it, or a site admin revokes the grant`,
};
const powerful = {
  refused:
    'The ClusterRole r, which a grant names, amounts to an administrator of the cluster: it gives the Secrets of all namespaces. An operator of the cluster narrows it, or sets the annotation berth.dev/cluster-admin: accepted',
};

test.for<[string, unknown, RoleVerdict, RoleVerdict]>([
  ['that does not exist', null, missing, missing],
  ['without the label', { metadata: {}, rules: widgets }, unlabelled, unlabelled],
  ['whose label is "false"', { metadata: { labels: { 'berth.dev/grantable': 'false' } } }, unlabelled, unlabelled],
  ['that is not read as one', { metadata: { labels }, rules: 'all' }, unlabelled, unlabelled],
  [
    'without the label, powerful though accepted',
    { metadata: { annotations: accepted }, rules: secrets },
    unlabelled,
    unlabelled,
  ],
  ['with the label', role({}), allowed, allowed],
  ['without rules', role({}, null), allowed, allowed],
  ['for Secrets', role({}, secrets), allowed, powerful],
  ['for Secrets, accepted', role(accepted, secrets), allowed, allowed],
  ['for Secrets, with another annotation', role({ 'berth.dev/cluster-admin': 'true' }, secrets), allowed, powerful],
  ['that needs a level', role(level('privileged')), { podSecurity: 'privileged' }, { podSecurity: 'privileged' }],
  ['with an unknown level', role(level('anything')), allowed, allowed],
])(
  'the verdict on a ClusterRole %s, in one namespace and in the whole cluster',
  ([, found, inNamespace, inCluster]) => {
    expect(roleVerdict(found, { cluster_role: 'r', scope: 'Namespace' })).toEqual(inNamespace);
    expect(roleVerdict(found, { cluster_role: 'r', scope: 'Cluster' })).toEqual(inCluster);
  },
);
