import type { Row } from '../../api/reads.ts';

/** The address of a deployment's metrics; null if its cluster names no website for them. */
export function metricsLink(
  {
    metrics_url: url,
    metrics_datasource_name: source,
  }: Pick<Row<'k8sClusters'>, 'metrics_url' | 'metrics_datasource_name'>,
  { namespace }: { namespace: string },
): string | null {
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  const link = new URL(url);
  link.searchParams.set('var-namespace', namespace);
  if (source !== null) link.searchParams.set('var-datasource', source);
  return link.href;
}
