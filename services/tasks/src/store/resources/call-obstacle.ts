import { sql } from 'slonik';

/** The resource `r` needs a call. */
export const pending = sql.fragment`r.is_live and r.sync_status in ('Creating', 'Updating', 'Deleting')`;

/**
 * Why the deployment `m` that manages the resource `r` cannot be called now; null if it can. Claims take calls without obstacles,
 * and a waiting resource shows its obstacle as its reason.
 */
export const obstacle = sql.fragment`
  case
    when m.id is null then null
    when m.deleting then format('Waits: %s, which manages it, is being deleted', m.namespace)
    when not m.enabled then format('Waits until %s, which manages it, is enabled', m.namespace)
    when m.revision_id is null or m.installed_cluster_id is null or m.state not in ('Running', 'Upgrading', 'Error')
      then format('Waits until %s, which manages it, is installed', m.namespace)
    when not exists (select from resource_type_registrations g where g.deployment_id = m.id and g.type_id = r.type_id)
      then format('Waits until the chart of %s, which manages it, defines its type again', m.namespace)
  end`;
