import { brokenChart } from './parsed-chart.ts';
import { readChart } from './read-chart.ts';

/** The child process of `chart-parser.ts`. It exits with its parent, the only receiver of its answers. */
process.on('disconnect', () => process.disconnect?.());
process.on('message', (archive: Uint8Array) => void answer(archive));
process.send?.('ready');

async function answer(archive: Uint8Array): Promise<void> {
  process.send?.(await readChart(archive).catch(failed));
}

/** If it were not handled, it would end this process, and the parent would assume that the chart needs too much memory. */
const failed = (error: unknown) => brokenChart(`the chart cannot be read: ${String(error)}`);
