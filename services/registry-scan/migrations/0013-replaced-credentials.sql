-- Stands for the sealed credentials in the tag of the row: of two replacements under one If-Match the second is refused.
-- In this table, because a reader that waited for the lock of its row sees others as they were before.
alter table helm_registries add column credentials_set_at timestamptz(3);
update helm_registries set credentials_set_at = clock_timestamp()
where id in (select helm_registry_id from created_registries where sealed_credentials is not null);
