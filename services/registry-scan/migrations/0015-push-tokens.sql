-- With which a created registry sends its push events, sealed; null if it has none.
alter table created_registries add column sealed_push_token bytea;
-- Stands for it in the tag of the row, as credentials_set_at does for the credentials.
alter table helm_registries add column push_token_set_at timestamptz(3);
