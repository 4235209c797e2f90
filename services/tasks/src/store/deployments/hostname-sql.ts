import { sql } from 'slonik';

interface Named {
  name: string;
  namespace: string;
  helm_chart_id: string;
}

/** The first label of the hostname that a chart makes (`ingressHost`); null if the chart has no ingress. */
export const hostnameOf = ({ name, namespace, helm_chart_id }: Named) => sql.fragment`(
  select case
    when c.features #>> '{ingress,hostname_format}' = 'Name' and ${name}::text <> '' then ${name}::text else ${namespace}::text
  end
  from helm_chart_projection c
  where c.id = ${helm_chart_id} and c.features #> '{ingress,enabled}' = 'true'
)`;
