-- A copy lags: what a deployment may do is asked of its owner.
drop table deployments_seen;
