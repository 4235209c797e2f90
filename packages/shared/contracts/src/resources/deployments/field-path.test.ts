import { describe, expect, test } from 'vitest';
import { fieldPathOf, keptFieldsIn } from './field-path.ts';

describe('a path of fields', () => {
  test.for([
    ['/spec/replicas', null, null, ['spec', 'replicas']],
    ['Deployment:/spec', 'Deployment', null, ['spec']],
    ['Deployment/web:/spec', 'Deployment', 'web', ['spec']],
    ['Role/a:b:/rules', 'Role', 'a:b', ['rules']],
    ['/metadata/annotations/a.b~1c~0d', null, null, ['metadata', 'annotations', 'a.b/c~d']],
    ['/spec/containers/name=web/image', null, null, ['spec', 'containers', 'name=web', 'image']],
  ] as const)('may name kind and object: %s', ([text, kind, name, segments]) => {
    expect(fieldPathOf(text)).toEqual({ kind, name, segments });
  });

  test.for(['', '/', 'spec/replicas', '.spec.replicas', 'Deployment/web', '/spec//replicas', `/${'a/'.repeat(40)}a`])(
    'has no other form: %s',
    (text) => {
      expect(fieldPathOf(text)).toBeNull();
    },
  );
});

test('the values of a deployment name fields to keep, or are refused', () => {
  expect(keptFieldsIn({ berth: { fields: { keep: ['/spec/replicas'] } } })).toEqual(['/spec/replicas']);
  expect(keptFieldsIn({ berth: { fields: { keep: ['spec.replicas'] } } })).toBeNull();
  expect(keptFieldsIn({ berth: { fields: { keep: '/spec/replicas' } } })).toBeNull();
  expect(keptFieldsIn({ berth: 'x' })).toEqual([]);
});
