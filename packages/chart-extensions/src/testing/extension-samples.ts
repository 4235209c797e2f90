import { errorOf } from '../files/chart-defect.ts';
import { readExtensions } from '../files/read-extensions.ts';

/** Reads the extensions of a chart with these files, given by path. */
export function readFiles(files: Record<string, string>) {
  const { defects, ...extensions } = readExtensions(new Map(Object.entries(files)));
  return { ...extensions, error: errorOf(defects) };
}

/** Header of a `values-ui.yaml`. */
export const formHeader = `apiVersion: berth.dev/v1beta1
kind: ValuesUi
`;
/** Header of a `features.yaml`. */
export const featuresHeader = `apiVersion: berth.dev/v1beta2
kind: Features
`;
export const sampleAction = `
- apiVersion: berth.dev/v1beta1
  kind: Action
  spec:
    id: backup
    allowed_role: Maintainer
    endpoint: standard_ingress
    path: backup
    method: POST
    title: Back up
    description: Makes a backup
`;
export const sampleResourceType = `
- apiVersion: berth.dev/v1beta1
  kind: ResourceType
  key: bucket
  spec:
    name_singular: Bucket
    name_plural: Buckets
    iconset_icon: box
    values_ui: { inputs: [] }
    lifecycle: { create: {} }
`;
