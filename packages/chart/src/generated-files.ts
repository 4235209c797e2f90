import { dashboardFiles } from './dashboards.ts';
import { natsFile } from './nats-file.ts';
import { sloRules } from './slo-rules.ts';
import { chartValues } from './values/chart-values.ts';
import { serviceSettings } from './values/service-settings.ts';
import { valuesFile } from './values/values-file.ts';
import { valuesPage } from './values/values-page.ts';
import { valuesSchema } from './values/values-schema.ts';

/** Files that are generated from contracts, settings and the sources of the values, by their path in the repository. */
export async function generatedFiles(root: URL): Promise<Record<string, string>> {
  const schema = valuesSchema(await serviceSettings(root));
  const values = await chartValues(root, schema);
  const inChart = {
    'files/slos.yaml': sloRules(),
    'files/nats/nats.json': natsFile(),
    'values.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
    'values.yaml': valuesFile(values),
    ...Object.fromEntries(Object.entries(dashboardFiles()).map(([name, text]) => [`files/dashboards/${name}`, text])),
  };
  const ofChart = Object.entries(inChart).map(([path, text]) => [`deploy/berth/${path}`, text] as const);
  return { ...Object.fromEntries(ofChart), 'docs/values.md': valuesPage(values) };
}
