-- A registry that no round has scanned completely is as old as the end of its first round.
alter table registry_polls add column first_at timestamptz(3) not null default clock_timestamp();
