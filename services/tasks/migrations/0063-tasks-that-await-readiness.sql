-- A deploy whose Helm has ended keeps its claim until its objects are ready, and takes no slot meanwhile.
alter table deployment_tasks add column awaits_readiness boolean not null default false;

create index deployment_tasks_working on deployment_tasks (cluster_id) where status = 'Started' and not awaits_readiness;
