import type { ChartVerdict } from '@berth/chart-archive/chart-verdict';
import { harmless } from '../../text/harmless.ts';

/** A line for each defect, as compilers write them: `berth/values-ui.yaml:7: inputs[0].type: must be one of …`. */
export const defectLines = ({ defects }: Pick<ChartVerdict, 'defects'>): string[] =>
  defects.map(({ file, line, path, rule }) => {
    const where = file === null ? null : line === null ? file : `${file}:${line}`;
    return harmless([where, path, rule].filter(Boolean).join(': '));
  });
