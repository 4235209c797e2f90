import { brokenChart } from './parsed-chart.ts';
import { readChart } from './read-chart.ts';

/** The other end of `chart-parser.ts`. It ends with its parent: nobody else would hear of its answers. */
process.on('disconnect', () => process.disconnect?.());
process.on('message', (archive: Uint8Array) => void answer(archive));
process.send?.('ready');

async function answer(archive: Uint8Array): Promise<void> {
  process.send?.(await readChart(archive).catch(failed));
}

/** Left to itself it would end this process, which is taken for a chart that needs too much memory. */
const failed = (error: unknown) => brokenChart(`the chart cannot be read: ${String(error)}`);
