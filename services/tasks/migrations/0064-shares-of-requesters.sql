-- The claim gives each requester its share of the slots: the first due task of each, however many others wait.
create index deployment_tasks_waiting_by_requester
  on deployment_tasks (cluster_id, (coalesce(requester ->> 'id', '')), due_at, seq) where status = 'Pending';
