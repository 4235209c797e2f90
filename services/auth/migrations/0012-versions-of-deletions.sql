-- 0010 took versions from the sequence alone. Where rows already had times for versions, it gave deleted permissions lower ones
-- than were published, which no publication could mark as done: the relay published them again and again.
update outbox
set version = greatest(published_version + 1, next_outbox_version()), changed_at = clock_timestamp()
where version < published_version;
