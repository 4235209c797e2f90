import { z } from 'zod';

/** Malformed fields count as missing, so that one bad field does not hide the others. */
export const word = z.string().optional().catch(undefined);
export const count = z.number().int().nonnegative().optional().catch(undefined);

/** Kubernetes may send null for an empty list. Only the first few hundred items are read. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .nullish()
    .catch([])
    .transform((items) =>
      (items ?? []).slice(0, 500).flatMap((each) => {
        const { success, data } = item.safeParse(each);
        return success ? [data] : [];
      }),
    );

const Condition = z.object({ type: z.string(), status: word, reason: word, message: z.string().nullish().catch(null) });
export type Condition = z.infer<typeof Condition>;

export const Conditions = listOf(Condition);

export const conditionOf = (conditions: readonly Condition[], type: string, status: 'True' | 'False' | 'Unknown') =>
  conditions.find((each) => each.type === type && each.status === status);

/** The message of a condition, or its reason. */
export const wordsOf = ({ type, reason, message }: Condition): string => message || reason || type;
