-- The chart that a task ran, without reading its inputs.
alter table deployment_tasks add column run_chart_id uuid generated always as ((run ->> 'helm_chart_id')::uuid) stored;

-- Deployments whose status is polled. It changes at each poll, the deployment itself only when it reports something else.
create table status_polls (
  deployment_id uuid primary key references deployments (id) on delete cascade,
  interval_secs integer not null,
  due_at timestamptz not null,
  -- Names the poll under way, which alone may report.
  fence bigint,
  -- The last poll took long: these have places of their own, so that they delay one another only.
  is_slow boolean not null default false
) with (fillfactor = 70);

create index status_polls_due on status_polls (is_slow, due_at);
