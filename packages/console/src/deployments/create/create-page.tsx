import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { allOf } from '../../api/reads.ts';
import { nameIn, useClusters, useEnvs, useKinds } from '../../api/names.ts';
import type { Form } from '../../form/parsed-form.ts';
import { Page } from '../../shell/page.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { Reading } from '../../ui/reading/reading.tsx';
import { type Draft, versionOf, withChart } from '../draft/draft.ts';
import { LeaveGuard } from '../draft/leave-guard.tsx';
import { useForm } from '../draft/use-form.ts';
import { ClusterStep, KindStep, NameStep } from './first-steps.tsx';
import { LastStep } from './last-step.tsx';
import { StepLinks } from './step-links.tsx';
import { chosenIn, stepIn } from './steps.ts';
import { VersionStep } from './version-step.tsx';
import './create.css';

const nothing: Draft = { chartId: '', config: {}, override: null, typed: null };

/** A new deployment, step by step. Each step has an address, and what was typed is kept when going back and forward. */
export function CreatePage() {
  const [address] = useAddress();
  const step = stepIn(address);
  const chosen = chosenIn(address);
  const { kind, chart, cluster, name, adopt } = chosen;
  const [kinds, clusters, envs] = [useKinds(), useClusters(), useEnvs()];
  const places = useQueries({
    queries: [allOf('deploymentKinds', {}), allOf('k8sClusters', {})],
    combine: ([ofKinds, ofClusters]) => ({
      data: ofKinds.data && ofClusters.data,
      error: ofKinds.error ?? ofClusters.error,
    }),
  });
  const now = useForm(chart);
  const [draft, setDraft] = useState(nothing);
  const [isTouched, setIsTouched] = useState(false);
  const isDone = useRef(false);
  const filled = useRef<Form | null>(null);

  // The inputs of another version start with its values. Those that were typed are kept.
  useEffect(() => {
    if (now.data === undefined || now.data.chart.id !== chart || draft.chartId === chart) return;
    const forms = { now: now.data.form, before: filled.current };
    filled.current = now.data.form;
    setDraft((current) => withChart(current, chart, forms));
  }, [now.data, chart, draft.chartId]);

  // Stable, so that a key typed into one input renders that input alone.
  const type = useCallback((change: (draft: Draft) => Draft) => {
    setIsTouched(true);
    setDraft(change);
  }, []);
  const place = cluster === null ? undefined : clusters.get(cluster);
  const frame = (body: ReactNode, actions?: ReactNode) => (
    <Page title="New deployment" crumbs={[{ words: 'Deployments', to: '/deployments' }]} actions={actions}>
      <StepLinks
        step={step}
        chosen={chosen}
        words={{
          kind: kind === null ? undefined : nameIn(kinds, kind),
          version: now.data && versionOf(now.data.chart),
          cluster: place && `${place.name} · ${nameIn(envs, place.env_id)}`,
          name: name === null ? undefined : `${name || 'none'}${adopt ? ' · adopted' : ''}`,
        }}
      />
      {body}
      <LeaveGuard isDirty={() => isTouched && !isDone.current} />
    </Page>
  );
  if (step === 'kind' || kind === null) {
    return frame(<Reading of={places}>{() => <KindStep env={address.env ?? null} />}</Reading>);
  }
  if (step === 'version') return frame(<VersionStep kindId={kind} chartId={chart} />);
  if (step === 'cluster' || cluster === null) {
    return frame(<Reading of={places}>{() => <ClusterStep env={address.env ?? null} kindId={kind} />}</Reading>);
  }
  if (step === 'name' || name === null) {
    return frame(<Reading of={now}>{({ chart: row }) => <NameStep chosen={chosen} chart={row} />}</Reading>);
  }
  if (now.data === undefined || draft.chartId !== now.data.chart.id)
    return frame(<Reading of={now}>{() => null}</Reading>);
  return (
    <LastStep
      place={{ name, kind_id: kind, cluster_id: cluster, adopt }}
      envId={place?.env_id ?? null}
      chart={now.data.chart}
      form={now.data.form}
      draft={draft}
      onChange={type}
      onCreated={() => {
        isDone.current = true;
      }}
      frame={frame}
    />
  );
}
