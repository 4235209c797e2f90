-- Projections are named as such.
alter table deployment_kinds_seen rename to deployment_kind_projection;
