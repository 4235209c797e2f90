import { answerWork } from '@berth/untrusted-work/answer-work';
import { fieldsJobs } from '../fields/fields-work.ts';
import { manifestJobs } from '../manifests/manifest-jobs.ts';
import { compareSides } from './compare-sides.ts';

const jobs = { ...manifestJobs, ...fieldsJobs, compareSides };

export type PlanJobs = typeof jobs;

answerWork(jobs);
