-- A copy lags, so `tasks` is asked about a calling deployment instead.
drop table deployments_seen;
