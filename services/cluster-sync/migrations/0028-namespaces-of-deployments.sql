-- Where a deployment has namespaces, in whichever cluster: its credentials go there.
create index deployment_namespaces_by_deployment on deployment_namespaces (deployment_id);
