-- A rare operation or token would otherwise be looked for in the whole log.
create index audit_log_of_operation on audit_log (action, at desc, event_id desc);
create index audit_log_of_token on audit_log (token_id, at desc, event_id desc) where token_id is not null;
