-- An attempt counts once Helm has begun; what a task depends on is waited for before that.
alter table deployment_tasks
  -- The last claim in which Helm had begun.
  add column helm_fence bigint not null default 0,
  -- Pauses since Helm last began: for what did not answer, and for a cluster that refused a right.
  add column waited_ms integer not null default 0,
  add column forbidden_ms integer not null default 0,
  add column handed_back integer not null default 0;

-- Claims from before this counted their attempt when they were made.
update deployment_tasks set helm_fence = fence where status = 'Started';
