-- Columns and tables use the names of the code: `published`, and `projection` for a copy of another service's rows.
alter table k8s_clusters rename column told_seen_at to published_seen_at;
alter table envs_seen rename to env_projection;
alter index envs_seen_pkey rename to env_projection_pkey;
