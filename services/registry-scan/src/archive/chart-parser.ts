import { fieldErrors } from '@berth/contracts/fields/field-errors';
import { createUntrustedWork } from '@berth/untrusted-work/untrusted-work';
import { WorkRefused } from '@berth/untrusted-work/work-refused';
import type { ChartJobs } from './chart-parser-process.ts';
import { brokenChart, ParsedChart } from './parsed-chart.ts';

export interface ChartParserOptions {
  /** Limit of processor time. */
  timeoutMs?: number;
  /** How long a busy machine may take to give a chart that much. */
  starvedAfterMs?: number;
  heapMb?: number;
}

interface ParseRequest {
  /** The repository of the chart. Each owner has a share of the parser. */
  owner: string;
  signal: AbortSignal;
}

export interface ChartParser extends AsyncDisposable {
  /**
   * Returns the parsed chart. A chart that takes too much processor time or memory is final as broken, so that it does not keep the
   * parser busy in every scan. Throws `WorkRefused` if the reason lies not in the chart; a later scan then reads it again.
   */
  parse(archive: Uint8Array, request: ParseRequest): Promise<ParsedChart>;
}

const entry = new URL('./chart-parser-process.ts', import.meta.url);
/** Extension files have 128 KiB at most. */
const maxAnswerBytes = 512 * 1024;

/**
 * Unpacks and parses packaged charts in processes that can be killed: a few hundred kilobytes of hostile YAML or tar headers keep a
 * parser busy for minutes or fill its heap. A real chart takes milliseconds. A repository has one of the two processes at most.
 */
export function createChartParser({
  timeoutMs = 5_000,
  starvedAfterMs = 6 * timeoutMs,
  heapMb = 192,
}: ChartParserOptions = {}): ChartParser {
  const work = createUntrustedWork<ChartJobs>({ entry, slots: 2, heapMb });

  return {
    async parse(archive, limits) {
      try {
        const times = { withinMs: timeoutMs, starvedAfterMs };
        return checked(await work.run('readChart', archive, { ...limits, ...times, maxAnswerBytes }));
      } catch (error) {
        if (!(error instanceof WorkRefused) || error.refusal === 'busy') throw error;
        const words = error.refusal === 'too slow' ? `longer than ${timeoutMs} ms` : 'more memory than is allowed';
        return brokenChart(`the files of the chart take ${words} to parse`);
      }
    },
    [Symbol.asyncDispose]: () => work[Symbol.asyncDispose](),
  };
}

function checked(answer: unknown): ParsedChart {
  const { data, error } = ParsedChart.safeParse(answer);
  if (data) return data;
  const [first] = fieldErrors(error);
  return brokenChart(`the parsed chart cannot be stored: ${first?.path ?? ''}: ${first?.message ?? ''}`);
}
