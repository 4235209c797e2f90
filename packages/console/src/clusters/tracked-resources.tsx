import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components/Button';
import { useDeployments } from '../api/by-ids.ts';
import { nameIn, useKinds } from '../api/names.ts';
import { pageOf } from '../api/reads.ts';
import { detailOf, stateOfResource } from '../deployments/objects/resource-tree.ts';
import { Age } from '../ui/age.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Empty } from '../ui/reading/problem.tsx';
import { Reading } from '../ui/reading/reading.tsx';
import { State } from '../ui/state.tsx';

const perPage = 25;

/** The objects of its deployments, a page at a time, since a cluster may have very many. */
export function TrackedResources({ id }: { id: string }) {
  const [address, change] = useAddress();
  const kinds = useKinds();
  const page = Math.max(1, Math.trunc(Number(address['page'])) || 1);
  const kind = address['object'];
  const resources = useQuery(
    pageOf('k8sResources', { cluster_id: id, ...(kind && { kind }), sort: 'kind', page, per_page: perPage }),
  );
  const deployments = useDeployments(resources.data?.items.map(({ deployment_id }) => deployment_id) ?? []);
  return (
    <section className="section">
      <header>
        <h2>Tracked resources</h2>
        {resources.data && <span className="meta">{resources.data.num_total.toLocaleString()}</span>}
      </header>
      <div className="filters">
        <FilterByText
          label="Kind, such as Pod"
          value={kind ?? ''}
          onChange={(object) => change({ object, page: null })}
        />
      </div>
      <Reading of={resources} rows={4}>
        {({ items, num_total }) =>
          num_total === 0 ? (
            <div className="panel">
              <Empty title={kind ? `No ${kind} is tracked` : 'Nothing is tracked there'} />
            </div>
          ) : (
            <>
              <div className="panel scrolls" role="region" aria-label="Tracked resources" tabIndex={0}>
                <table className="tracked">
                  <thead>
                    <tr>
                      <th scope="col">Object</th>
                      <th scope="col">State</th>
                      <th scope="col">Deployment</th>
                      <th scope="col">Seen</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((resource) => {
                      const state = stateOfResource(resource);
                      const deployment = deployments.get(resource.deployment_id);
                      return (
                        <tr key={resource.id}>
                          <td>
                            <span className="muted">{resource.kind}</span> {resource.name}
                            <div className="meta">{detailOf(resource)}</div>
                          </td>
                          <td>{state && <State {...state} />}</td>
                          <td>
                            <Link
                              to="/deployments/$id/{-$tab}"
                              params={{ id: resource.deployment_id, tab: 'resources' }}
                            >
                              {deployment
                                ? `${nameIn(kinds, deployment.kind_id)} / ${deployment.name || '—'}`
                                : resource.deployment_id.slice(0, 8)}
                            </Link>
                          </td>
                          <td className="muted">
                            <Age time={resource.last_updated_at} />
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </div>
              {num_total > perPage && (
                <nav className="pages" aria-label="Pages of tracked resources">
                  <Button
                    className="button small"
                    isDisabled={page === 1}
                    onPress={() => change({ page: page === 2 ? null : String(page - 1) })}
                  >
                    Page before
                  </Button>
                  <span className="meta">
                    {page} of {Math.ceil(num_total / perPage).toLocaleString()}
                  </span>
                  <Button
                    className="button small"
                    isDisabled={page * perPage >= num_total}
                    onPress={() => change({ page: String(page + 1) })}
                  >
                    Next page
                  </Button>
                </nav>
              )}
            </>
          )
        }
      </Reading>
    </section>
  );
}
