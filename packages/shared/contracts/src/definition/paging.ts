import { z } from 'zod';
import { GivenTime, Id, Text } from '../fields/fields.ts';

const words = (description: string) => Text.max(500).meta({ description });

/** In HTTP queries all values are strings; in calls between services they are typed. The OpenAPI document shows `wire`. */
const flag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], {
    error: 'must be true or false',
  })
  .meta({ wire: { type: 'boolean' } });

/** A string of digits over HTTP, a number between services. */
export const wholeNumber = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d{1,9}$/)
          .transform(Number),
      ],
      { error: rule },
    )
    .pipe(z.number().int(rule).min(min, rule).max(max, rule))
    .meta({ wire: { type: 'integer', minimum: min, maximum: max } });
};

const mostIds = 100;
const idsRule = `must be 1 to ${mostIds} UUIDs, separated by commas`;
const Ids = z.array(Id).min(1).max(mostIds);

/** A string with commas over HTTP, an array between services. One error for the whole list, whichever id is broken. */
const ids = z
  .union([z.array(Text), Text.transform((value) => value.split(','))], { error: idsRule })
  .transform((value, context) => {
    const { success, data } = Ids.safeParse(value);
    if (success) return data;
    context.addIssue({ code: 'custom', message: idsRule });
    return z.NEVER;
  })
  .meta({ wire: { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1, maxItems: mostIds } });

/** Filters in a query string. All are optional and are combined with AND. */
export const filter = {
  id: Id,
  /** Any of these; what does not exist, or is not visible to the caller, is not in the list. */
  ids,
  /** For ids that may be null: the word `null` selects rows without a value. */
  nullableId: z
    .union([Id, z.literal('null').transform(() => null)], { error: 'must be a UUID or the word null' })
    .meta({ description: 'the word null selects those without one' }),
  /** Matches the value exactly. */
  exact: words('exactly this value'),
  /** Matches the whole value, ignoring case. */
  ignoringCase: words('the whole value, ignoring case'),
  /** Matches a part of the value, ignoring case; `%` and `_` are literal characters. */
  containing: words('a part of the value, ignoring case'),
  boolean: flag,
  time: GivenTime,
};

export interface ListShape<F extends z.ZodRawShape, S extends readonly string[]> {
  filters: F;
  sort: S;
}

/**
 * The query of a list: `page` from 1, `per_page` 1–100 (default 50, alias `page_size`), `sort=field` or `sort=-field`
 * on the named columns, `after` for keyset paging (empty at first), and the filters.
 */
export function listQuery<F extends z.ZodRawShape, const S extends readonly string[]>({
  filters,
  sort,
}: ListShape<F, S>) {
  const optionalFilters = Object.fromEntries(
    Object.entries(filters).map(([key, schema]) => [key, z.optional(schema)]),
  ) as unknown as { [K in keyof F]: z.ZodOptional<F[K]> };
  const sortValues = sort.flatMap((column) => [column, `-${column}`]);

  return z
    .strictObject({
      ...optionalFilters,
      page: wholeNumber(1, 1_000_000).optional().meta({ description: 'from 1' }),
      per_page: wholeNumber(1, 100).optional().meta({ description: '50 unless given' }),
      page_size: wholeNumber(1, 100).optional().meta({ description: 'another name for per_page' }),
      sort: z
        .enum(sortValues as [string, ...string[]], { error: `must be one of ${sortValues.join(', ')}` })
        .optional()
        .meta({ description: 'a column, with a dash before it for descending order; without it, newest first' }),
      after: Text.max(200).optional().meta({
        description: 'empty at first, then the `next` of the last answer; not together with page or sort',
      }),
    })
    .refine(
      (query) => {
        const { after, page, sort: order } = query as ListRequest;
        return after === undefined || (page === undefined && order === undefined);
      },
      { path: ['after'], error: 'cannot be combined with page or sort' },
    );
}

export interface ListRequest {
  page?: number | undefined;
  per_page?: number | undefined;
  page_size?: number | undefined;
  sort?: string | undefined;
  after?: string | undefined;
}

/** The envelope of every list. `next` is present only with `after`; null at the end. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    page: z.number().int(),
    per_page: z.number().int(),
    items: z.array(item),
    num_total: z.number().int(),
    next: z.string().nullable().optional(),
  });

export interface Page<T> {
  page: number;
  per_page: number;
  items: T[];
  num_total: number;
  next?: string | null | undefined;
}
