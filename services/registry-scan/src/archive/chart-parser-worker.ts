import { parentPort } from 'node:worker_threads';
import { parseChart } from './parse-chart.ts';

// oxlint-disable unicorn/require-post-message-target-origin -- a thread is no window
/** The other end of `chart-parser.ts`. */
parentPort?.on('message', (files: Map<string, string>) => {
  parentPort?.postMessage(parseChart(files));
});
parentPort?.postMessage('ready');
