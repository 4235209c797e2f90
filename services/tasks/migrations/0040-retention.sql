-- Finished tasks are removed from the oldest on.
create index deployment_tasks_finished on deployment_tasks (finished_at, id) where finished_at is not null;

-- What stays beyond its time: the last task of a deployment that was done, and the last ones to which it can be rolled back.
create index deployment_tasks_done on deployment_tasks (deployment_id, finished_at desc, id desc) where status = 'Done';
create index deployment_tasks_revisions on deployment_tasks (deployment_id, finished_at desc, id desc)
  where status = 'Done' and variant in ('Install', 'Upgrade');
