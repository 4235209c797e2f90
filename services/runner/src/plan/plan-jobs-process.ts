import { answerWork } from '@berth/untrusted-work/answer-work';
import { manifestJobs } from '../manifests/manifest-jobs.ts';
import { compareSides } from './compare-sides.ts';

const jobs = { ...manifestJobs, compareSides };

export type PlanJobs = typeof jobs;

answerWork(jobs);
