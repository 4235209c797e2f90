-- The tasks that the first request queued, for the header of its repeats.
alter table idempotency_keys add column queued_tasks jsonb;
