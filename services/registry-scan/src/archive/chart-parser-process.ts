import { parseChart } from './parse-chart.ts';

/** The other end of `chart-parser.ts`. It ends with its parent: nobody else would hear of its answers. */
process.on('disconnect', () => process.disconnect?.());
process.on('message', (files: Map<string, string>) => {
  process.send?.(parseChart(files));
});
process.send?.('ready');
