import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Transaction } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { ChartChanges, ChartToParse } from './chart-repository.ts';
import type { CurrentFormats } from '../tag-formats/current-formats.ts';
import { type ParsedTag, parsedTag } from '../tag-formats/parsed-tag.ts';

export interface ReparseTagsDeps {
  inTransaction: InTransaction<{ charts: ChartChanges }>;
  currentFormats: (queries: Transaction) => Promise<CurrentFormats>;
}

const batchSize = 100;

/** Parses, in batches, the tags of charts that were parsed with older formats. Each row records the revision it used. */
export const reparseTags =
  ({ inTransaction, currentFormats }: ReparseTagsDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await parseBatch()) === batchSize);

    function parseBatch(): Promise<number> {
      return inTransaction(async (store, tx) => {
        const current = await currentFormats(tx);
        const charts = await store.charts.lockToParse(current.revision, batchSize);
        if (charts.length === 0) return 0;

        const before = charts.map(({ row }) => row);
        await store.charts.saveParsed(before, await parsedAll(charts, current), current.revision);
        return charts.length;
      });
    }
  };

/** Parses when the formats change, and every two seconds: another replica may have changed them. */
export function reparseOnChange({ formatsChanged, ...deps }: ReparseTagsDeps & { formatsChanged: WakeUp }): Loop {
  const parse = reparseTags(deps);
  return every(10, async (signal) => {
    await parse(signal);
    await formatsChanged.wait(2_000);
  });
}

/** A batch can keep the event loop busy for a while, so it yields after each tag. */
async function parsedAll(charts: readonly ChartToParse[], { formats }: CurrentFormats) {
  const parsed: ({ id: string } & ParsedTag)[] = [];
  for (const { row, metadata } of charts) {
    parsed.push({ id: row.id, ...parsedTag(row.image_tag, metadata, formats) });
    await yieldToOthers();
  }
  return parsed;
}
