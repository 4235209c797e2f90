/** The fields of a cluster that a site admin fills in, as texts. An empty text means no value. */
export const clusterFields = [
  {
    id: 'ingress_domain',
    label: 'Ingress domain',
    help: 'Hosts of deployments are below it. No two clusters have the same.',
  },
  { id: 'ingress_class', label: 'Ingress class', help: 'Of the ingress controller that serves the domain.' },
  {
    id: 'ingress_tls_secret_name',
    label: 'Secret with the certificate',
    help: 'The name of the TLS Secret that ingresses refer to.',
  },
  { id: 'metrics_url', label: 'Metrics URL', help: 'Where the metrics of its deployments are shown: http or https.' },
  { id: 'metrics_datasource_name', label: 'Metrics data source', help: 'The name of its data source there.' },
] as const;

type FieldName = (typeof clusterFields)[number]['id'];
export type ClusterTexts = Record<FieldName, string> & { env_id: string | null };
type Stored = Record<FieldName, string | null> & { env_id: string | null };

export const textsOf = (cluster: Stored): ClusterTexts => ({
  env_id: cluster.env_id,
  ingress_domain: cluster.ingress_domain ?? '',
  ingress_class: cluster.ingress_class ?? '',
  ingress_tls_secret_name: cluster.ingress_tls_secret_name ?? '',
  metrics_url: cluster.metrics_url ?? '',
  metrics_datasource_name: cluster.metrics_datasource_name ?? '',
});

/** The differences from what is stored; null if there are none. */
export function changesOf(cluster: Stored, texts: ClusterTexts): Partial<Stored> | null {
  const changes: Partial<Stored> = texts.env_id === cluster.env_id ? {} : { env_id: texts.env_id };
  for (const { id } of clusterFields) {
    const value = texts[id].trim() === '' ? null : texts[id].trim();
    if (value !== cluster[id]) changes[id] = value;
  }
  return Object.keys(changes).length === 0 ? null : changes;
}

/** The texts of the fields that were changed. */
export const typedOf = (changes: Partial<Stored> | null, texts: ClusterTexts): Partial<ClusterTexts> => ({
  ...(changes !== null && 'env_id' in changes && { env_id: texts.env_id }),
  ...Object.fromEntries(
    clusterFields.flatMap(({ id }) => (changes !== null && id in changes ? [[id, texts[id]] as const] : [])),
  ),
});
