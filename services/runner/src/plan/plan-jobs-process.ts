import { answerWork } from '@berth/untrusted-work/answer-work';
import { compareSides } from './compare-sides.ts';
import { factsOf } from './check/facts-of.ts';
import { kubeObjectOf } from './diff/kube-object.ts';
import { parseManifest, type ParsedManifest } from './manifest/parse-manifest.ts';

/** A megabyte of YAML takes seconds, and heartbeats must not wait for it. */
const jobs = {
  readNames: (text: string) =>
    parseManifest(text)
      .objects.flatMap(({ content }) => kubeObjectOf(content) ?? [])
      .map(({ apiVersion, kind, namespace, name }) => ({ apiVersion, kind, namespace, name })),

  readManifests: (texts: readonly string[]): ParsedManifest[] => texts.map(parseManifest),
  readFacts: factsOf,
  compareSides,
};

export type PlanJobs = typeof jobs;

answerWork(jobs);
