import type { UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import { fieldsOfManifests } from './fields-of-manifests.ts';

export const fieldsJobs = { fieldsOfManifests };

export type FieldsWork = UntrustedWork<typeof fieldsJobs>;
