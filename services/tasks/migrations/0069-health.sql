-- Whether what is installed works. `health_state` is the state in `health`, for filters. Reports of `health_version` and older ones
-- no longer count: it is the time of the last one that did, or of the last change of the installed place.
alter table deployments
  add column health jsonb,
  add column health_state text,
  add column health_version bigint not null default 0;

create index deployments_with_health on deployments (health_state, created_at desc, id desc);
create index deployments_by_health on deployments (health_state, id);

-- Why a cluster does not answer, for the health of its deployments.
alter table k8s_cluster_projection add column not_ok_reason text;
