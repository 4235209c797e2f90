/** For messages about what a chart may not do. */
export const whoCanGrant =
  'A chart acts in the namespace of its deployment only; if it needs more, a site admin can grant this kind a ClusterRole in this env (POST /api/v2/cluster-role-grants)';
