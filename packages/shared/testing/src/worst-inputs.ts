import { loopCost } from './loop-cost.ts';

/** The costliest JSON texts that we know, each of about this many bytes. Some are cut off. */
export const worstJson = (bytes: number): Record<string, string> => ({
  'arrays of empty arrays': `[${'[],'.repeat(bytes / 3)}0]`,
  'arrays of empty objects': `[${'{},'.repeat(bytes / 3)}0]`,
  'objects of one member each': `[${Array.from({ length: bytes / 14 }, (_, n) => `{"k${n}":0}`).join(',')}]`,
  'one object of many members': `{${Array.from({ length: bytes / 12 }, (_, n) => `"k${n}":0`).join(',')}}`,
  'many levels': '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'levels that never end': '['.repeat(bytes),
  'one text': `"${'x'.repeat(bytes)}"`,
  'one text of escapes': `"${'\\u0000'.repeat(bytes / 6)}"`,
  'a text that never ends': `"${'\\"'.repeat(bytes / 2)}`,
  spaces: `[${' '.repeat(bytes)}]`,
});

/** Within these limits a service answers others in time, and has room for many such inputs at once. */
const bearable = { longestTurnMs: 150, mostHeapMb: 128 };

/** Names the jobs that block the event loop or fill the memory. A job may reject, since it is right to refuse such input. */
export async function faultsOf(jobs: Readonly<Record<string, () => Promise<unknown>>>): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, work] of Object.entries(jobs)) {
    const { longestTurnMs, mostHeapMb } = await loopCost(() => work().catch(() => undefined));
    if (longestTurnMs > bearable.longestTurnMs) faults.push(`${name}: a turn of ${longestTurnMs} ms`);
    if (mostHeapMb > bearable.mostHeapMb) faults.push(`${name}: ${mostHeapMb} MiB of heap`);
  }
  return faults;
}

/** The same work for each input. */
export const forEachInput = (
  inputs: Readonly<Record<string, string>>,
  work: (input: string) => Promise<unknown>,
): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, () => work(input)]));
