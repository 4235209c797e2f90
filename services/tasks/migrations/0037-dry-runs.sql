-- Dry runs that plans wait for: they last seconds. Unlogged, so that neither the write-ahead log nor a standby has them, and what they run
-- and what came of it is sealed: a configuration may be confidential.
create unlogged table dry_runs (
  id uuid primary key,
  -- Who may have how many at a time.
  requester text not null,
  env_id uuid not null,
  deployment_id uuid not null,
  cluster_id uuid not null,
  namespace text not null,
  helm_chart_id uuid,
  expires_at timestamptz not null,
  sealed_run text not null,
  -- Names the claim of a runner; only that one may report.
  fence bigint,
  sealed_outcome text
);
