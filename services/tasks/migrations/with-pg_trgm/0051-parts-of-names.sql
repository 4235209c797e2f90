-- Without the list of pending entries, which every search would read from end to end.
create index deployments_parts_of_name on deployments using gin (lower(name) gin_trgm_ops) with (fastupdate = off);
