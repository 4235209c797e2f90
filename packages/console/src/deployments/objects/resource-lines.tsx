import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { Age } from '../../ui/age.tsx';
import { State } from '../../ui/state.tsx';
import { messageOf } from '../facts/reason-words.ts';
import type { DeploymentRow } from '../facts/deployment-row.ts';
import { createdAt, detailOf, resourceTree, stateOfResource, type Tracked } from './resource-tree.ts';
import { RestartButton } from './restart-button.tsx';

interface ResourceLinesProps {
  resources: Tracked[];
  deployment: DeploymentRow;
  /** Leaves out what is between an object and its pods. */
  brief?: boolean;
}

/** What runs: each object below its owner, with the cause if it is not well. */
export function ResourceLines({ resources, deployment, brief = false }: ResourceLinesProps) {
  const causes = new Map(deployment.health?.causes.map((cause) => [`${cause.kind}/${cause.name}`, cause]));
  const lines = resourceTree(resources).filter(({ resource }) => !brief || resource.kind !== 'Namespace');
  return (
    <div className="panel tree" role="table" aria-label="What runs">
      {lines.map(({ resource, depth }) => {
        const { id, kind, name } = resource;
        const state = stateOfResource(resource);
        const cause = causes.get(`${kind}/${name}`);
        const created = createdAt(resource);
        return (
          <Fragment key={id}>
            <div role="row" className="row" data-depth={Math.min(depth, 4)}>
              <div role="cell" className="object" title={name}>
                <span className="muted">{kind}</span>{' '}
                {kind === 'Pod' ? (
                  <Link
                    to="/deployments/$id/{-$tab}"
                    params={{ id: deployment.id, tab: 'logs' }}
                    search={{ pod: id }}
                    title={`Log of ${name}`}
                  >
                    {name}
                  </Link>
                ) : (
                  name
                )}
              </div>
              <div role="cell" className="meta detail">
                {detailOf(resource)}
              </div>
              <div role="cell">{state && <State {...state} />}</div>
              <div role="cell" className="meta">
                {created !== null && <Age time={created} />}
              </div>
              {!brief && (
                <div role="cell">
                  <RestartButton resource={resource} deployment={deployment} />
                </div>
              )}
            </div>
            {cause && (
              <div role="row" className="cause bad" data-depth={Math.min(depth, 4)}>
                <div role="cell">
                  {cause.cause}: {messageOf(cause)}
                </div>
              </div>
            )}
          </Fragment>
        );
      })}
    </div>
  );
}
