-- Columns and tables are named as the code names them: a final result is not computed again, a copy of another service's
-- rows is a projection.
alter table helm_charts rename column settled to is_final;
alter table registry_tags rename column settled to is_final;
alter table deployments_seen rename to deployment_projection;
alter index deployments_seen_pkey rename to deployment_projection_pkey;
alter index deployments_seen_of_chart rename to deployment_projection_of_chart;
