import { expect, test } from 'vitest';
import { type BindingStep, bindingStep, FoundBinding, roleBinding } from './role-binding.ts';

const account = { namespace: 'berth-deployers', name: 'deployment-1' };
const wanted = { name: 'b', namespace: 'web', role: 'widgets', account, labels: {} };
const { roleRef, subjects } = roleBinding(wanted);
const metadata = { uid: 'u' };
const right = { metadata, roleRef, subjects };
const [subject] = subjects;
const user = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: account.name };
const replace = { replaceUid: 'u' };

test.for<[string, BindingStep, object | null]>([
  ['that does not exist', 'create', null],
  ['that is right', 'keep', right],
  ['of another ClusterRole', replace, { ...right, roleRef: { ...roleRef, name: 'admin' } }],
  ['of a Role of that name', replace, { ...right, roleRef: { ...roleRef, kind: 'Role' } }],
  ['without subjects', replace, { metadata, roleRef }],
  ['of another account', replace, { ...right, subjects: [{ ...subject, name: 'default' }] }],
  ['of an account in another namespace', replace, { ...right, subjects: [{ ...subject, namespace: 'web' }] }],
  ['of a user', replace, { ...right, subjects: [user] }],
  ['with a second subject', replace, { ...right, subjects: [...subjects, user] }],
  [
    'that is being deleted',
    replace,
    { ...right, metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } },
  ],
])('the repair of a binding %s: %j', ([, step, found]) => {
  expect(bindingStep(FoundBinding.parse(found), wanted)).toEqual(step);
});

test('without a namespace, the object is a ClusterRoleBinding', () => {
  const { kind, metadata: named } = roleBinding({ ...wanted, namespace: null });

  expect({ kind, named }).toEqual({ kind: 'ClusterRoleBinding', named: { name: 'b', labels: {} } });
});
