-- The runs of which a deployment may have objects in its cluster: the one installed last, and those begun since then.
create table installed_runs (
  deployment_id uuid not null references deployments (id) on delete cascade,
  -- The Install or Upgrade with the run.
  task_id uuid not null,
  -- The first label of its hostname, as in deployments.ingress_name.
  hostname text,
  -- False for rows of the version before, until the service has read their references.
  references_known boolean not null default false,

  constraint installed_runs_pkey primary key (deployment_id, task_id)
);

create index installed_runs_unread on installed_runs (deployment_id) where not references_known;

create table installed_references (
  deployment_id uuid not null,
  task_id uuid not null,
  collection text not null,
  item_id uuid not null,

  constraint installed_references_pkey primary key (deployment_id, task_id, collection, item_id),
  constraint installed_references_run_fkey foreign key (deployment_id, task_id)
    references installed_runs (deployment_id, task_id) on delete cascade
);

create index installed_references_to on installed_references (collection, item_id);

-- Of a failed task it is not known whether Helm began, so a deployment without a successful one has a run only while one is started.
insert into installed_runs (deployment_id, task_id, hostname)
select d.id, t.id,
  case
    when c.features #> '{ingress,enabled}' is distinct from 'true' then null
    when c.features #>> '{ingress,hostname_format}' = 'Name' and t.run ->> 'deployment_name' <> '' then t.run ->> 'deployment_name'
    else t.run ->> 'namespace'
  end
from deployments d
join deployment_tasks t on t.id = d.revision_id
  or (t.deployment_id = d.id and t.status = 'Started' and t.effect = 'installs' and t.run is not null)
left join helm_chart_projection c on c.id = t.run_chart_id
where d.installed_cluster_id is not null and t.deployment_id = d.id;

-- Most deployments run what they want.
insert into installed_references (deployment_id, task_id, collection, item_id)
select distinct r.deployment_id, i.task_id, r.collection, r.item_id
from installed_runs i
join deployments d on d.id = i.deployment_id
join deployment_tasks t on t.id = i.task_id and t.run_chart_id = d.helm_chart_id and t.run -> 'config' = d.config
join deployment_references r on r.deployment_id = d.id;

update installed_runs i set references_known = true
from deployments d, deployment_tasks t
where d.id = i.deployment_id and t.id = i.task_id and t.run_chart_id = d.helm_chart_id and t.run -> 'config' = d.config;
