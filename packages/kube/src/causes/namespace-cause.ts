import { z } from 'zod';
import { type Cause, causeOfReason } from './cause.ts';
import { type Condition, conditionOf, Conditions, listOf, wordsOf, word } from './conditions.ts';

const Namespace = z.object({
  metadata: z.object({ finalizers: listOf(z.string()) }).catch({ finalizers: [] }),
  spec: z.object({ finalizers: listOf(z.string()) }).catch({ finalizers: [] }),
  status: z.object({ phase: word, conditions: Conditions }).catch({ phase: undefined, conditions: [] }),
});

/** Conditions of a namespace that is being deleted, most specific first. */
const held = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceFinalizersRemaining',
  'NamespaceContentRemaining',
];

/** Every namespace has this finalizer until its contents are gone. */
const usual = 'kubernetes';

/** Names the finalizers and remaining kinds that delay the deletion of a namespace; null if it is not being deleted. */
export function namespaceCause(object: unknown): Cause | null {
  const { data } = Namespace.safeParse(object);
  if (data?.status.phase !== 'Terminating') return null;
  const conditions = held.flatMap((type): Condition | [] => conditionOf(data.status.conditions, type, 'True') ?? []);
  const own = [...data.metadata.finalizers, ...data.spec.finalizers].filter((name) => name !== usual);
  const words = [
    ...conditions.map(wordsOf),
    ...(own.length > 0 ? [`the namespace itself has finalizers: ${own.slice(0, 10).join(', ')}`] : []),
  ];
  const rest = words.length > 0 ? `: ${words.join('; ')}` : '';
  return causeOfReason(conditions[0]?.reason, 'Terminating', `being deleted${rest}`);
}
