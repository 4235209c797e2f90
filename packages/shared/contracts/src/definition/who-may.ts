import type { OperationSpec } from './contract.ts';

/** The access rule of an operation in words, for the documentation and the access table. */
export const whoMay = ({ allow, stricter = [] }: Pick<OperationSpec, 'allow' | 'stricter'>): string =>
  [allow.says, ...stricter.map((part) => `${part.rule.says} for ${part.for}`)].join('; ');
