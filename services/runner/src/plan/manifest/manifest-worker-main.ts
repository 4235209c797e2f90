import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { parseManifest } from './parse-manifest.ts';

/** A worker thread: a megabyte of YAML takes seconds, and heartbeats must not wait for it. */
parentPort?.once('message', (texts: unknown) => {
  parentPort?.postMessage(z.array(z.string()).parse(texts).map(parseManifest), []);
});
