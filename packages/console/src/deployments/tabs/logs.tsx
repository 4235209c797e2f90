import { type TextStream, unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { allOf } from '../../api/reads.ts';
import { Check } from '../../ui/inputs/check.tsx';
import { Choose } from '../../ui/inputs/choose.tsx';
import { FilterByText } from '../../ui/inputs/filter-by-text.tsx';
import { LogView } from '../../ui/log/log-view.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { OfDeployment } from '../facts/deployment-row.ts';
import { stateOfResource, type Tracked } from '../objects/resource-tree.ts';

/** The logs of the pods, one at a time. The address names pod and container. */
export default function Logs({ deployment }: OfDeployment) {
  const may = useMay()('k8sResources', 'log', deployment);
  const pods = useQuery(allOf('k8sResources', { deployment_id: deployment.id, kind: 'Pod' }));
  if (!may.allowed) return <Empty title={`Logs of pods are for ${may.needs}`} />;
  return (
    <Reading of={pods}>
      {(rows) => (rows.length === 0 ? <Empty title="No pod runs" /> : <PodLog pods={worstFirst(rows)} />)}
    </Reading>
  );
}

/** People look for the pod that is not well. */
const worstFirst = (pods: Tracked[]): Tracked[] =>
  pods.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)) || a.name.localeCompare(b.name));
const isWell = (pod: Tracked): boolean => stateOfResource(pod)?.tone === 'ok';

function PodLog({ pods }: { pods: Tracked[] }) {
  const [address, change] = useAddress();
  const pod = pods.find(({ id }) => id === address['pod']) ?? pods[0];
  const container = address['container'] ?? '';
  const isPrevious = address['previous'] === 'true';
  const id = pod?.id ?? '';
  const read = useCallback(
    async function* (signal: AbortSignal): AsyncIterable<string> {
      const query = { ...(container !== '' && { container }), ...(isPrevious ? { previous: true } : { follow: true }) };
      const stream: TextStream = unwrap(await berth.k8sResources.log({ id, query }, { signal }));
      yield* stream.lines();
    },
    [id, container, isPrevious],
  );
  return (
    <LogView
      label={`Log of ${pod?.name}`}
      of={`${id} ${container} ${isPrevious}`}
      read={read}
      fileName={`${pod?.name}.log`}
      empty="The container has written nothing"
      choices={
        <div className="pods">
          <Choose
            label="Pod"
            inline
            choices={pods.map((each) => ({ id: each.id, words: each.name }))}
            value={id}
            onChange={(next) => change({ pod: next, container: null, line: null })}
          />
          <FilterByText
            label="Container, if it has several"
            value={container}
            onChange={(next) => change({ container: next, line: null })}
          />
          <Check
            label="Before the last restart"
            value={isPrevious}
            onChange={(on) => change({ previous: on ? 'true' : null, line: null })}
          />
        </div>
      }
    />
  );
}
