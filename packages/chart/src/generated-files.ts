import { dashboardFiles } from './dashboards.ts';
import { natsFile } from './nats-file.ts';
import { serviceSettings } from './service-settings.ts';
import { sloRules } from './slo-rules.ts';
import { valuesSchema } from './values-schema.ts';

/** Files of the chart that are generated from contracts and settings, by path below `deploy/berth`. */
export async function generatedFiles(root: URL): Promise<Record<string, string>> {
  const dashboards = Object.entries(dashboardFiles()).map(([name, text]) => [`files/dashboards/${name}`, text]);
  return {
    'files/slos.yaml': sloRules(),
    'files/nats/nats.json': natsFile(),
    'values.schema.json': `${JSON.stringify(valuesSchema(await serviceSettings(root)), null, 2)}\n`,
    ...Object.fromEntries(dashboards),
  };
}
