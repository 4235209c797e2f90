import { answerWork } from '@berth/untrusted-work/answer-work';
import { readChart } from './read-chart.ts';

/** What `chart-parser.ts` asks for, in a process of its own. */
const jobs = { readChart };
export type ChartJobs = typeof jobs;

answerWork(jobs);
