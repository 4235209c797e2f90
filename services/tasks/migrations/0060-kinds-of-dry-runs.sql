-- A claim says for which kind it is, since cluster roles are granted by kind. A row of the version before lasts seconds.
delete from dry_runs where expires_at < now();
alter table dry_runs add column kind_id uuid;
