-- Also what was refused: an event of that stands for as many attempts as were alike.
alter table audit_log
  add column event_id uuid not null default gen_random_uuid(),
  add column result text not null default 'done',
  add column times integer not null default 1,
  -- Which of the actor's tokens it was; null for a session and for events from before this column.
  add column token_id uuid,
  -- Whether each of the details is a pair, the value before and the one after.
  add column compares boolean not null default false,
  add constraint audit_log_result_known check (result in ('done', 'denied')),
  add constraint audit_log_times_positive check (times > 0);

create unique index audit_log_newest_first on audit_log (at desc, event_id desc);
create unique index audit_log_event on audit_log (event_id);
create index audit_log_of_env on audit_log (env_id, at desc, event_id desc);
drop index audit_log_by_actor;
create index audit_log_by_actor on audit_log (actor_id, at desc, event_id desc);
drop index audit_log_by_object;
create index audit_log_by_object on audit_log (object_id, at desc, event_id desc);
create index audit_log_of_resource on audit_log (resource, at desc, event_id desc);
create index audit_log_denied on audit_log (at desc, event_id desc) where result = 'denied';
