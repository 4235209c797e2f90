import { answerWork } from '@berth/untrusted-work/answer-work';
import { fieldsJobs } from '../fields/fields-work.ts';
import { schemaJobs } from '../manifests/chart-schemas.ts';
import { manifestJobs } from '../manifests/manifest-jobs.ts';
import { compareSides } from './compare-sides.ts';

const jobs = { ...manifestJobs, ...fieldsJobs, ...schemaJobs, compareSides };

export type PlanJobs = typeof jobs;

answerWork(jobs);
