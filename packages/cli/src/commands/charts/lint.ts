import { buildCommand } from '@stricli/core';
import { CliFailure } from '../../failure/cli-failure.ts';
import { harmless } from '../../text/harmless.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { defectLines } from './defect-lines.ts';
import { readChart } from './read-chart.ts';

interface Flags {
  json?: boolean;
}

export const lint = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Check what Berth reads from a chart, before it is pushed',
    fullDescription:
      'Check what Berth reads from a chart: the verdict that the registry scan gives, from the folder or the package, without a platform. Each defect has its file, line, field and rule; with one the exit code is 1.\n\n  berth chart lint ./hello-web\n  berth chart lint hello-web-1.2.0.tgz --json',
  },
  parameters: {
    flags: { json: { kind: 'boolean', brief: 'Write the defects as JSON', optional: true } },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'folder or package of a chart', placeholder: 'chart' }],
    },
  },
  async func({ json = false }, path) {
    const verdict = await readChart(path);
    const { defects, metadata } = verdict;
    if (json) print(this, JSON.stringify({ defects }, null, 2));
    else for (const line of defectLines(verdict)) print(this, line);
    if (defects.length > 0)
      throw new CliFailure('failed', `the chart could not be deployed (defects: ${defects.length})`);
    say(this, harmless(`${metadata?.name ?? path} ${metadata?.version ?? ''} has no defects`));
  },
});
