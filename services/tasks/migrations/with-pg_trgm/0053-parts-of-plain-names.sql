-- Names of deployments are DNS labels, in lower case: a search compares them as they are.
create index deployments_parts_of_plain_name on deployments using gin (name gin_trgm_ops) with (fastupdate = off);
drop index deployments_parts_of_name;
