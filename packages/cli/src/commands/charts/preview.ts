import type { JsonObject } from '@berth/client';
import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { buildCommand } from '@stricli/core';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { harmless } from '../../text/harmless.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { defectLines } from './defect-lines.ts';
import { readChart } from './read-chart.ts';

interface Flags extends InputFlags {
  json?: boolean;
}

export const preview = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Show the values and Secrets that the form of a chart gives for inputs',
    fullDescription:
      'Show the values and Secrets that the form of a chart gives for inputs, without a platform. What an input reads from a secret or another row is not known here, so a placeholder stands for it.\n\n  berth chart preview ./hello-web --set greeting=Hello --set replicas=2\n  berth chart preview hello-web-1.2.0.tgz -f inputs.yaml --json',
  },
  parameters: {
    flags: {
      ...inputFlags,
      json: { kind: 'boolean', brief: 'Write JSON instead of YAML', optional: true },
    },
    aliases: { f: 'file' },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'folder or package of a chart', placeholder: 'chart' }],
    },
  },
  async func({ set: sets = [], file: files = [], json = false }, path) {
    const verdict = await readChart(path);
    for (const line of defectLines(verdict)) say(this, line);
    if (verdict.defects.length > 0) throw new CliFailure('failed', 'the chart could not be deployed');
    if (verdict.values_ui === null) throw new CliFailure('failed', 'the chart has no form');
    const config = await configInputs({}, { files, sets });
    const [{ ValuesUi }, { validateConfig }] = await Promise.all([
      import('@berth/chart-extensions/form/values-ui'),
      import('@berth/chart-extensions/config/validate-config'),
    ]);
    const form = ValuesUi.parse(verdict.values_ui);
    const errors = validateConfig(form, config, 'inputs');
    for (const { path: at, message } of errors) say(this, harmless(`${at}: ${message}`));
    if (errors.length > 0) throw new CliFailure('usage', 'the chart does not accept these inputs');
    await printOutputs(this, { form, config, json });
  },
});

async function printOutputs(
  cli: Cli,
  { form, config, json }: { form: ValuesUi; config: JsonObject; json: boolean },
): Promise<void> {
  const [{ outputValues }, { Budget }] = await Promise.all([
    import('@berth/chart-extensions/config/output-values'),
    import('@berth/chart-extensions/budget/budget'),
  ]);
  const propertyOf = ({ id }: { id: string }, property: string) => `<${property} of ${id}>`;
  const outputs = outputValues(form, { config, propertyOf, budget: new Budget() });
  if (json) return print(cli, JSON.stringify(outputs, null, 2));
  const { stringify } = await import('yaml');
  print(cli, stringify(outputs).trimEnd());
}
