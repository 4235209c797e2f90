-- Accepted push events until the scan of what they name has ended, so that one that was accepted survives its replica.
create table push_hints (
  -- Replaced by a newer event for the same tag: a scan that began before it then ends only the older one.
  id bigint generated always as identity primary key,
  registry_key text not null,
  repo_name text not null,
  -- Null: the whole repository.
  tag text,
  digest text,
  attempts integer not null default 0,
  -- While it is handled: when another replica takes it, unless this one has ended it.
  due_at timestamptz not null,

  constraint push_hints_named unique nulls not distinct (registry_key, repo_name, tag)
);

create index push_hints_due on push_hints (due_at);
