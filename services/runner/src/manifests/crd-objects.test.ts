import { expect, test } from 'vitest';
import { crdObjectsOf } from './crd-objects.ts';

const one =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\ndata: { most: 9223372036854775807, yes: "on" }\n';
const two = 'kind: List\nitems:\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: two } }\n';

test('only the files that a rendering contains are given, each object by itself and with every digit of its numbers', () => {
  const crds = `---\n${one}\n---\n${two}\n---\n${one.replace('name: one', 'name: left-out')}`;
  const template = one.replace('name: one', 'name: of-a-template');
  const manifests = `---\n# Source: web/crds/a.yaml\n${one}\n---\n# Source: web/crds/b.yaml\n${two}\n---\n# Source: web/templates/a.yaml\n${template}`;

  const objects = crdObjectsOf({ manifests, crds });

  expect(objects.map(({ facts }) => facts)).toMatchObject([
    { name: 'one', isCrdFile: true },
    { name: 'two', isCrdFile: true },
  ]);
  expect(objects[0]?.yaml).toContain('"most": 9223372036854775807');
  expect(objects[0]?.yaml).toContain('"on"');
});
