-- Namespaces that were there before their deployment, with the labels and annotations that Berth has changed, as they were.
alter table deployment_namespaces add column adopted jsonb;
