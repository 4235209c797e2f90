-- Why the push events of the registry cannot be received; null if they can, or if it has no queue.
alter table registry_polls add column queue_error text;
