-- 0010 took versions from a sequence, although rows may already have times as versions. Deleted permissions then got a lower
-- version than the published one, could not be marked as published, and the relay repeated them forever.
update outbox
set version = greatest(published_version + 1, next_outbox_version()), changed_at = clock_timestamp()
where version < published_version;
