import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import type { Database, Transaction } from '@berth/db/database';
import { recordStates } from '@berth/db/outbox/outbox';
import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import { type ChartToParse, createChartRepository } from './chart-repository.ts';
import type { CurrentFormats } from '../tag-formats/current-formats.ts';
import { type ParsedTag, parsedTag } from '../tag-formats/parsed-tag.ts';

export interface ReparseTagsDeps {
  db: Database;
  currentFormats: (queries: Transaction) => Promise<CurrentFormats>;
}

const batchSize = 100;

/** Parses, in batches, the tags of charts that were parsed with older formats. Each row records the revision it used. */
export const reparseTags =
  ({ db, currentFormats }: ReparseTagsDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await parseBatch()) === batchSize);

    function parseBatch(): Promise<number> {
      return db.transaction(async (tx) => {
        const chartRepository = createChartRepository(tx);
        const current = await currentFormats(tx);
        const charts = await chartRepository.lockToParse(current.revision, batchSize);
        if (charts.length === 0) return 0;

        const rows = await chartRepository.saveParsed(await parsedAll(charts, current), current.revision);
        const before = new Map(charts.map(({ row }) => [row.id, row]));
        const changed = rows.filter((row) => !isDeepStrictEqual(before.get(row.id), row));
        await recordStates(tx, helmCharts, changed.map(updated));
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

const updated = (row: HelmChart) => ({ id: row.id, env_id: null, operation: 'UPDATE' as const, row });

/** A batch can keep the event loop busy for a while, so it yields after each tag. */
async function parsedAll(charts: readonly ChartToParse[], { formats }: CurrentFormats) {
  const parsed: ({ id: string } & ParsedTag)[] = [];
  for (const { row, metadata } of charts) {
    parsed.push({ id: row.id, ...parsedTag(row.image_tag, metadata, formats) });
    await yieldToOthers();
  }
  return parsed;
}
