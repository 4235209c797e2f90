import { expect, test } from 'vitest';
import { bindingStep, FoundBinding, roleBinding } from './role-binding.ts';

const account = { namespace: 'berth-deployers', name: 'deployment-1' };
const wanted = { name: 'b', namespace: 'web', role: 'widgets', account, labels: {} };
const { roleRef, subjects } = roleBinding(wanted);
const metadata = { uid: 'u' };
const right = { metadata, roleRef, subjects };
const [subject] = subjects;
const user = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: account.name };
const replace = { replaceUid: 'u' };

test.for<[string, object | null, ReturnType<typeof bindingStep>]>([
  ['that does not exist', null, 'create'],
  ['that is right', right, 'keep'],
  ['of another ClusterRole', { ...right, roleRef: { ...roleRef, name: 'admin' } }, replace],
  ['of a Role of that name', { ...right, roleRef: { ...roleRef, kind: 'Role' } }, replace],
  ['without subjects', { metadata, roleRef }, replace],
  ['of another account', { ...right, subjects: [{ ...subject, name: 'default' }] }, replace],
  ['of an account in another namespace', { ...right, subjects: [{ ...subject, namespace: 'web' }] }, replace],
  ['of a user', { ...right, subjects: [user] }, replace],
  ['with a second subject', { ...right, subjects: [...subjects, user] }, replace],
  [
    'that is being deleted',
    { ...right, metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } },
    replace,
  ],
])('the repair of a binding %s: %j', ([, found, step]) => {
  expect(bindingStep(FoundBinding.parse(found), wanted)).toEqual(step);
});

test('without a namespace, the object is a ClusterRoleBinding', () => {
  const { kind, metadata: named } = roleBinding({ ...wanted, namespace: null });

  expect({ kind, named }).toEqual({ kind: 'ClusterRoleBinding', named: { name: 'b', labels: {} } });
});
