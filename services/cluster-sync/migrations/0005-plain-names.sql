-- Columns and tables are named as the code names them: what followers know is what was published, a copy of another
-- service's rows is a projection.
alter table k8s_clusters rename column told_seen_at to published_seen_at;
alter table envs_seen rename to env_projection;
alter index envs_seen_pkey rename to env_projection_pkey;
