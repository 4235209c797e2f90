-- How many charts of a branch are newer than another one. Those that cannot be deployed do not count.
create index helm_charts_newer on helm_charts (helm_registry_id, parsed_branch, created_at)
  where available and error is null;
