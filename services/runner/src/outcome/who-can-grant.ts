/** For messages about what a chart may not do. */
export const whoCanGrant =
  'A chart acts in the namespace of its deployment only; a site admin can grant a ClusterRole for more to this kind of deployment in this env (POST /api/v2/cluster-role-grants)';
