import { useQuery } from '@tanstack/react-query';
import { nameIn, useKinds } from '../../api/names.ts';
import { allOf, type Row } from '../../api/reads.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { OfEnv } from '../facts/env-row.ts';
import { resourceTypeOf } from './resource-type.ts';
import { ResourcesOfType } from './resources-of-type.tsx';

/** The resources that deployments of the env manage for others, by type. */
export default function Resources({ env }: OfEnv) {
  const own = useQuery(allOf('deploymentResourceTypes', { env_id: env.id }));
  const global = useQuery(allOf('deploymentResourceTypes', { env_id: 'null' }));
  return (
    <Reading of={own}>
      {(here) => <Reading of={global}>{(everywhere) => <Types env={env} types={[...here, ...everywhere]} />}</Reading>}
    </Reading>
  );
}

function Types({ env, types }: { env: OfEnv['env']; types: Row<'deploymentResourceTypes'>[] }) {
  const kinds = useKinds();
  const [address, change] = useAddress();
  const choices = types
    .map((row) => ({ row, type: resourceTypeOf(row.key, row.spec), kind: nameIn(kinds, row.deployment_kind_id) }))
    .sort((a, b) => a.type.plural.localeCompare(b.type.plural) || a.kind.localeCompare(b.kind));
  const shown = choices.find(({ row }) => row.id === address['type']) ?? choices[0];

  if (shown === undefined) {
    return (
      <div className="panel">
        <Empty title="No chart that is deployed here defines resources">
          <p>A chart that has a resources.yaml lets its deployments manage resources for others, such as databases.</p>
        </Empty>
      </div>
    );
  }
  return (
    <ResourcesOfType key={shown.row.id} env={env} row={shown.row} type={shown.type} kind={shown.kind}>
      <Choose
        label="Type of resource"
        inline
        choices={choices.map(({ row, type, kind }) => ({
          id: row.id,
          words: `${type.plural} · ${kind}${row.env_id === null ? ' · in every env' : ''}`,
        }))}
        value={shown.row.id}
        onChange={(type) => change({ type })}
      />
    </ResourcesOfType>
  );
}
