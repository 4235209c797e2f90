-- Who changed what. Each line is written in the transaction of what it tells about.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default now(),
  -- Null for what nobody signed in did: a refused login, or what the platform does by itself.
  actor_kind text,
  actor_id uuid,
  action text not null,
  resource text not null,
  object_id uuid,
  env_id uuid,
  -- Names and changed values as they were; never a secret or a hash.
  details jsonb not null,
  -- Null for what no request asked for.
  request_id text,

  constraint audit_log_actor_known check (actor_kind in ('user', 'bot', 'deployment'))
);

create index audit_log_by_object on audit_log (object_id, id);
create index audit_log_by_actor on audit_log (actor_id, id);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end;
$$;

create trigger audit_log_is_append_only
  before update or delete or truncate on audit_log
  for each statement execute function audit_log_is_append_only();
