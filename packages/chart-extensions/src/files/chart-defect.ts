import { type BrokenRule, pathOf } from '@berth/contracts/fields/field-errors';

/** A rule that a chart breaks. */
export interface ChartDefect {
  /** Path below the chart's folder. Null for the package as a whole. */
  file: string | null;
  /** Field in the file, such as `inputs[2].type`. Empty for the file as a whole. */
  path: string;
  rule: string;
  /** From 1. Null where the defect has no line. */
  line: number | null;
}

/** A defect of a file as a whole, or of the package. */
export const defectOf = (file: string | null, rule: string, line: number | null = null): ChartDefect => ({
  file,
  path: '',
  rule,
  line,
});

/** The defects of a file, each with the line that `lineOf` finds. */
export const defectsOf = (
  file: string,
  rules: readonly BrokenRule[],
  lineOf: (parts: readonly PropertyKey[]) => number | null,
): ChartDefect[] =>
  rules.map(({ parts, message }) => ({ file, path: pathOf(parts), rule: message, line: lineOf(parts) }));

/** Names file, field and rule, such as `berth/values-ui.yaml: inputs[2].type: must be one of …`. Null without defects. */
export const errorOf = (defects: readonly ChartDefect[]): string | null =>
  defects.map(({ file, path, rule }) => [file, path, rule].filter(Boolean).join(': ')).join('; ') || null;
