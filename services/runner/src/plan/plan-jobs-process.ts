import { answerWork } from '@berth/untrusted-work/answer-work';
import { parseManifest, type ParsedManifest } from './manifest/parse-manifest.ts';

/** A megabyte of YAML takes seconds, and heartbeats must not wait for it. */
const jobs = {
  readManifests: (texts: readonly string[]): ParsedManifest[] => texts.map(parseManifest),
};

export type PlanJobs = typeof jobs;

answerWork(jobs);
