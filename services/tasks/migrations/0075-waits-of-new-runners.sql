-- A runner that waits for readiness itself has claimed the task, so what is deployed may not be ready.
alter table deployment_tasks add column may_await boolean not null default false;
