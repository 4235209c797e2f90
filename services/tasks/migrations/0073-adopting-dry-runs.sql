-- Dry runs that compare with a release that Berth does not manage yet.
alter table dry_runs add column adopts boolean not null default false;
