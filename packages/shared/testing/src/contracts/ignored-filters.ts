import { randomUUID } from 'node:crypto';
import type { Operation } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { z } from 'zod';
import { UntestableContract } from './untestable-contract.ts';
import type { CallOperation } from './walk-list.ts';

const ofPaging = ['page', 'per_page', 'page_size', 'sort', 'after'];
/** One value of these leaves rows out, and the other one none. */
const switches = ['active_only', 'show_future'];

const Counted = z.looseObject({ num_total: z.number() });

/** The filters of a list that select rows which they should leave out. The list must have rows. */
export async function ignoredFilters(name: string, call: CallOperation): Promise<string[]> {
  const { list }: Record<string, Operation> = resources.find((each) => each.name === name)?.operations ?? {};
  if (!list?.query) throw new UntestableContract(`${name} has no list`);
  const count = async (query: object) =>
    Counted.parse(await call(list, { query: { per_page: 1, ...query } })).num_total;
  const total = await count({});
  if (total === 0) throw new UntestableContract(`the list of ${name} has no rows`);

  const ignored: string[] = [];
  for (const [filter, schema] of Object.entries(list.query.shape)) {
    if (ofPaging.includes(filter) || switches.includes(filter)) continue;
    let selected = 0;
    for (const value of valuesFor(schema)) selected += await count({ [filter]: value });
    // Each row has one value at most; none has a random one, and some are older than a time.
    const { isTime, isChoice } = sortOf(schema);
    if (isChoice ? selected > total : isTime ? selected >= total : selected > 0) ignored.push(filter);
  }
  return ignored;
}

const lateTime = '9999-12-31T23:59:59.999Z';

/** All values of an enumeration or a flag; else one that no row has. */
function valuesFor(schema: z.core.$ZodType): unknown[] {
  const { options, isChoice, isTime } = sortOf(schema);
  if (isChoice) return options;
  return [isTime ? lateTime : randomUUID()];
}

function sortOf(schema: z.core.$ZodType) {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const accepts = (value: unknown) => z.safeParse(schema, value).success;
  const flags = accepts(true) && accepts(false) ? [true, false] : [];
  const options: unknown[] = inner instanceof z.ZodEnum ? inner.options : flags;
  return { options, isChoice: options.length > 0, isTime: !accepts(randomUUID()) && accepts(lateTime) };
}
