import { answerWork } from '@berth/untrusted-work/answer-work';
import { readChart } from './read-chart.ts';

/** The process in which `chart-parser.ts` parses charts. */
const jobs = { readChart };
export type ChartJobs = typeof jobs;

answerWork(jobs);
