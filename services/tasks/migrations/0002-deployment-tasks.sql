create table deployment_tasks (
  id uuid primary key default gen_random_uuid(),
  -- Tasks of one request have the same times; this keeps them in order.
  seq bigint generated always as identity,
  created_at timestamptz(3) not null,
  execute_at timestamptz(3) not null,
  -- execute_at, or later after an attempt that is to be repeated: the order of a deployment's tasks never changes.
  due_at timestamptz(3) not null,
  first_attempted_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  cluster_id uuid not null,
  env_id uuid not null,
  -- No foreign key: the history outlives the deployment.
  deployment_id uuid not null,
  acting_user_id uuid,
  acting_deployment_id uuid,
  canceled_by_user_id uuid,
  canceled_by_deployment_id uuid,
  operation jsonb not null,
  status text not null default 'Pending',
  reason text,
  attempts integer not null default 0,

  -- The snapshot that runs. Null until the start for what can only be known then.
  run jsonb,
  -- The change of the deployment that a scheduled task stands for; made when the task starts.
  change jsonb,
  -- What a Recreate took the deployment from, to go back to if it never starts.
  undo jsonb,
  -- The old cluster of a move, which has to be there too.
  also_cluster_id uuid,
  reinstall_dependents boolean not null default false,
  deletes_deployment boolean not null default false,

  fence bigint not null default 0,
  -- The claim whose result was taken, so that telling it twice is no error.
  settled_fence bigint,
  runner text,
  lease_until timestamptz,
  cancel_requested_at timestamptz(3),
  cancel_reason text,

  log_fence bigint not null default 0,
  log_next integer not null default 0,
  log_lines integer not null default 0,
  log_bytes integer not null default 0,

  request_id text,
  traceparent text,

  constraint deployment_tasks_status_known check (status in ('Pending', 'Started', 'Failed', 'Canceled', 'Done')),
  constraint deployment_tasks_started_has_lease check ((status = 'Started') = (lease_until is not null))
);

create index deployment_tasks_newest_first on deployment_tasks (execute_at desc, id desc);
create index deployment_tasks_of_env on deployment_tasks (env_id, execute_at desc, id desc);
create index deployment_tasks_of_cluster on deployment_tasks (cluster_id, execute_at desc, id desc);
create index deployment_tasks_of_deployment on deployment_tasks (deployment_id, execute_at desc, id desc);

-- One at a time per deployment, whatever else goes wrong.
create unique index deployment_tasks_one_started on deployment_tasks (deployment_id) where status = 'Started';
create index deployment_tasks_open on deployment_tasks (deployment_id, execute_at, created_at, seq)
  where status in ('Pending', 'Started');
create index deployment_tasks_waiting on deployment_tasks (cluster_id, due_at, seq) where status = 'Pending';
create index deployment_tasks_due on deployment_tasks (due_at) where status = 'Pending';
create index deployment_tasks_started_on on deployment_tasks (cluster_id) where status = 'Started';
create index deployment_tasks_leases on deployment_tasks (lease_until) where status = 'Started';

create table deployment_task_log (
  task_id uuid not null references deployment_tasks (id) on delete cascade,
  line integer not null,
  at timestamptz(3) not null,
  source text not null,
  text text not null,

  constraint deployment_task_log_pkey primary key (task_id, line)
);
