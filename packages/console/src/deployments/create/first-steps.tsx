import type { HelmChart } from '@berth/client';
import { DeploymentName } from '@berth/contracts/fields/fields';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMay } from '../../api/me.ts';
import { nameIn, useClusters, useEnvs, useKinds } from '../../api/names.ts';
import type { Row } from '../../api/reads.ts';
import { Check } from '../../ui/inputs/check.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { searchWith } from '../../ui/page/address.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { State } from '../../ui/state.tsx';
import { StepLink } from './step-links.tsx';
import { type Chosen, noName } from './steps.ts';

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);
const mostUnfiltered = 12;

/** The clusters on which the viewer may create deployments of a kind. */
function useOffered(env: string | null) {
  const may = useMay();
  const clusters = [...useClusters().values()].filter(
    ({ env_id }) => env_id !== null && (env === null || env_id === env),
  );
  const onCluster = (cluster: Row<'k8sClusters'>, kindId: string) =>
    may('deployments', 'create', { env_id: cluster.env_id, kind_id: kindId });
  /** Who would have to create it; null if the viewer may on some cluster. */
  const neededFor = (kindId: string): string | null => {
    const answers = clusters.map((cluster) => onCluster(cluster, kindId));
    return answers.length === 0 || answers.some(({ allowed }) => allowed) ? null : (answers[0]?.needs ?? null);
  };
  return { clusters, onCluster, neededFor };
}

export function KindStep({ env }: { env: string | null }) {
  const [filter, setFilter] = useState('');
  const kinds = [...useKinds().values()].toSorted(byName);
  const { neededFor } = useOffered(env);
  const shown = kinds.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  if (kinds.length === 0) {
    return (
      <div className="panel">
        <Empty title="No charts yet">Push a chart to a registry that Berth scans: its kind appears here.</Empty>
      </div>
    );
  }
  return (
    <>
      {kinds.length > mostUnfiltered && (
        <div className="filters">
          <TextInput
            label=""
            aria-label="Filter kinds"
            placeholder="Filter kinds"
            value={filter}
            onChange={setFilter}
          />
        </div>
      )}
      <ul className="panel choices">
        {shown.map(({ id, name }) => {
          const needs = neededFor(id);
          return (
            <li key={id}>
              {needs === null ? (
                <StepLink step="version" set={{ kind: id, chart: undefined }} className="choice">
                  <span className="cell-name">{name}</span>
                </StepLink>
              ) : (
                <span className="choice muted">
                  {name} <span className="meta">for {needs}</span>
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

export function ClusterStep({ env, kindId }: { env: string | null; kindId: string }) {
  const envs = useEnvs();
  const { clusters, onCluster } = useOffered(env);
  if (clusters.length === 0) {
    return (
      <div className="panel">
        <Empty title="No cluster to choose">
          {env === null
            ? 'A site admin gives a cluster to an env first.'
            : 'This env has no cluster. Choose another env, or have a site admin give it one.'}
        </Empty>
      </div>
    );
  }
  return (
    <ul className="panel choices">
      {clusters.toSorted(byName).map((cluster) => {
        const { id, name, env_id, region_name, ignore, is_ok, not_ok_reason } = cluster;
        const { allowed, needs } = onCluster(cluster, kindId);
        const unless = ignore ? 'it is ignored' : allowed ? null : `for ${needs}`;
        const content = (
          <>
            <span className="cell-name">{name}</span>
            <span className="muted">{nameIn(envs, env_id)}</span>
            <span className="meta">{unless ?? (is_ok ? region_name : not_ok_reason)}</span>
            {is_ok ? <State tone="ok" word="Reachable" /> : <State tone="bad" word="Unreachable" />}
          </>
        );
        return (
          <li key={id}>
            {unless === null ? (
              <StepLink step="name" set={{ cluster: id }} className="choice">
                {content}
              </StepLink>
            ) : (
              <span className="choice muted">{content}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface NameStepProps {
  chosen: Chosen;
  chart: HelmChart | undefined;
}

const isOnePerCluster = (chart: HelmChart | undefined): boolean => chart?.features?.['cardinality'] === 'OnePerCluster';

export function NameStep({ chosen, chart }: NameStepProps) {
  const [name, setName] = useState(chosen.name ?? '');
  const [adopt, setAdopt] = useState(chosen.adopt);
  const [isTouched, setIsTouched] = useState(false);
  const navigate = useNavigate();
  const isOnly = isOnePerCluster(chart);
  const broken = DeploymentName.safeParse(name).error?.issues[0]?.message ?? (name === '' ? 'is required' : undefined);
  const error = isOnly ? undefined : broken;
  const go = () => {
    setIsTouched(true);
    if (error !== undefined || chart === undefined) return;
    const set = { name: isOnly ? noName : name, adopt: adopt ? 'true' : undefined, step: 'form' };
    void navigate({ to: '/deployments/new', search: searchWith(set) });
  };
  return (
    <form
      className="name-step"
      onSubmit={(submit) => {
        submit.preventDefault();
        go();
      }}
    >
      {isOnly ? (
        <p>This chart runs once per cluster, so its deployment has no name.</p>
      ) : (
        <TextInput
          label="Name"
          help="Part of the namespace, and of hostnames: a-z, 0-9 and -."
          value={name}
          onChange={(next) => {
            setName(next);
            setIsTouched(true);
          }}
          error={isTouched ? error : undefined}
          isRequired
          autoComplete="off"
          autoFocus
        />
      )}
      <Check
        label="Adopt what runs there already"
        value={adopt}
        onChange={setAdopt}
        help="Takes over the Helm release that has the name of the namespace, instead of installing a new one. The plan shows what would change in it."
      />
      <Button className="button primary" type="submit">
        Continue
      </Button>
    </form>
  );
}
