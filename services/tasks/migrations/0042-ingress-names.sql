-- The first label of the hostname of a deployment whose chart has an ingress: two of them on a cluster would share it, and with it
-- their requests, their status and the calls of their actions.
alter table deployments add column ingress_name text;

-- Of those that share one already the oldest has it; the others get it when they change to one that is free.
update deployments d set ingress_name = named.name
from (
  select distinct on (cluster_id, name) id, name
  from (
    select d.id, d.cluster_id, d.created_at,
      case when c.features #>> '{ingress,hostname_format}' = 'Name' and d.name <> '' then d.name else d.namespace end as name
    from deployments d join helm_chart_projection c on c.id = d.helm_chart_id
    where c.features #> '{ingress,enabled}' = 'true'
  ) all_names
  order by cluster_id, name, created_at, id
) named
where named.id = d.id;

create unique index deployments_ingress_name_key on deployments (cluster_id, ingress_name);
