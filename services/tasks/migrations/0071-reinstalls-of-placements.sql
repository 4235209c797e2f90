-- What the last change of a placement queued, for the answer to the request that made it.
alter table env_placements add column version bigint, add column queued_tasks jsonb;
