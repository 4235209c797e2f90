-- Only what says that it removes old events removes any; nothing changes one.
create or replace function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('berth.removes_old_audit_events', true) = 'yes' then
    return null;
  end if;
  raise exception 'the audit log is append-only';
end;
$$;
