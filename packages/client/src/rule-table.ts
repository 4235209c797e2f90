import { Bug } from '@berth/contracts/errors';
import * as accessRules from '@berth/contracts/access/rules';
import type { Operation } from '@berth/contracts/definition/contract';
import { contracts } from '@berth/contracts/resources/index';

export type RuleName = {
  [N in keyof typeof accessRules]: (typeof accessRules)[N] extends accessRules.Access ? N : never;
}[keyof typeof accessRules];

/** The rules of an operation by their names in the contracts. */
export interface RulesOf {
  allow: RuleName;
  /** The stricter parts of the operation, each in words with its rule. */
  stricter: { rule: RuleName; for: string }[];
}

const nameOf = (rule: unknown): RuleName => {
  const named = Object.entries(accessRules).find(([, value]) => value === rule);
  if (!named) throw new Bug('a rule of a contract is not exported by access/rules');
  return named[0] as RuleName;
};

const rulesOf = ({ allow, stricter = [] }: Operation): RulesOf => ({
  allow: nameOf(allow),
  stricter: stricter.map((part) => ({ rule: nameOf(part.rule), for: part.for })),
});

/** Who may do what, by resource and operation. Bundles contain its value instead of the contracts. */
export const ruleTable: Readonly<Record<string, Record<string, RulesOf>>> = Object.fromEntries(
  Object.entries(contracts).map(([name, { operations }]) => [
    name,
    Object.fromEntries(
      Object.entries<Operation>(operations).flatMap(([operation, spec]) =>
        spec.http === undefined ? [] : [[operation, rulesOf(spec)]],
      ),
    ),
  ]),
);
