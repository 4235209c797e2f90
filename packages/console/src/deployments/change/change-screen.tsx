import { type Deployment, ProblemError, unwrap } from '@berth/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { nameIn, useKinds } from '../../api/names.ts';
import type { One } from '../../api/reads.ts';
import { configFor } from '../../form/config.ts';
import { Page } from '../../shell/page.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { say } from '../../ui/page/toasts.tsx';
import { Problem } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { State } from '../../ui/state.tsx';
import { deploymentState } from '../facts/deployment-state.ts';
import { changesOf, hasChanges } from '../draft/draft.ts';
import { DraftInputs } from '../draft/draft-inputs.tsx';
import { LeaveGuard } from '../draft/leave-guard.tsx';
import { VersionPick } from '../draft/version-pick.tsx';
import { PlanPane } from '../plan/plan-pane.tsx';
import { usePlannedDraft } from '../plan/use-planned-draft.tsx';
import { MeanwhileNotice } from './meanwhile-notice.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { useChange } from './use-change.ts';

/** Temporary problems, in spite of which a change may be made without a plan. */
const unplanned = new Set<string>(['unavailable', 'timeout', 'too_many_requests', 'internal', 'not_implemented']);

/** The wanted change on the left, what it will do on the right. The button applies exactly what the right side shows. */
export function ChangeScreen({ fresh }: { fresh: One<Deployment> }) {
  const [address, setAddress] = useAddress();
  const { began, draft, setDraft, meanwhile, forgetMeanwhile, now, isReady, discard } = useChange(
    fresh,
    address['chart'],
  );
  const { row, etag } = began;
  const [isSuperseding, setIsSuperseding] = useState(false);
  const [isScheduling, setIsScheduling] = useState(false);
  const isDone = useRef(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const kinds = useKinds();
  const may = useMay();
  const mayChange = may('deployments', 'update', row);
  const mayOverride = may('deployments', 'update', row, { stricter: true });

  const form = now.data?.form ?? null;
  // A typed key shows at once. Errors and the plan may follow a moment later.
  const said = useDeferredValue(draft);
  const changes = isReady && said.chartId === draft.chartId ? changesOf(row, said, form) : {};
  const isDirty = hasChanges(changes) || said.typed?.isBroken === true;
  const { planning, problem, refused, firstToDo } = usePlannedDraft({
    form,
    draft: said,
    // As on the server: inputs that stay as they are, with the same chart, are not checked again.
    isChecked: changes.config !== undefined || changes.helm_chart_id !== undefined,
    request:
      hasChanges(changes) && mayChange.allowed
        ? {
            key: [row.id, etag, changes],
            ask: (options) => berth.deploymentPlans.of_update({ id: row.id, body: changes }, options),
          }
        : null,
  });

  const leave = (words: string, taskId: string | undefined) => {
    isDone.current = true;
    say(words);
    if (taskId !== undefined) return void navigate({ to: '/tasks/$id', params: { id: taskId } });
    return void navigate({ to: '/deployments/$id/{-$tab}', params: { id: row.id, tab: undefined } });
  };
  const apply = useMutation({
    mutationFn: async (ifMatch: string | null) => {
      const query = isSuperseding && planning.plan?.supersedes ? { supersede: true } : {};
      const answer = await berth.deployments.update(
        { id: row.id, query, body: changes },
        ifMatch === null ? {} : { ifMatch },
      );
      unwrap(answer);
      return answer.ok ? answer : null;
    },
  });
  const isStale = apply.error instanceof ProblemError && apply.error.problem.code === 'stale';
  const send = (ifMatch: string | null) =>
    apply.mutate(ifMatch, {
      onSuccess: (answer) => {
        const first = answer?.taskIds[0];
        leave(first === undefined ? 'Changed. No task follows.' : 'Changed. Its task is queued.', first);
      },
      // Somebody else changed it first. Their change is read, shown, and planned on.
      onError: () => void queries.invalidateQueries({ queryKey: ['deployments', 'one', row.id] }),
    });
  const title = `${nameIn(kinds, row.kind_id)}${row.name && ` / ${row.name}`}`;
  const supersede = useMemo(() => ({ value: isSuperseding, onChange: setIsSuperseding }), [isSuperseding]);
  const instead = useMemo(
    () =>
      firstToDo ??
      (isDirty ? null : <p className="muted">Nothing differs yet. Change the version, an input or the override.</p>),
    [firstToDo, isDirty],
  );
  const canApply = planning.isCurrent && !apply.isPending;

  return (
    <Page
      title={`Change ${title}`}
      crumbs={[
        { words: 'Deployments', to: '/deployments' },
        { words: title, to: '/deployments/$id/{-$tab}', params: { id: row.id } },
      ]}
      state={<State {...deploymentState(fresh.row)} />}
      actions={
        <>
          <Button
            className="button bare"
            isDisabled={!isDirty}
            onPress={() => {
              discard();
              setAddress({ chart: null });
            }}
          >
            Discard
          </Button>
          <Button className="button" isDisabled={!canApply} onPress={() => setIsScheduling(true)}>
            Schedule…
          </Button>
          <Button className="button primary" isDisabled={!canApply} onPress={() => send(planning.plan?.etag ?? etag)}>
            Apply this plan
          </Button>
        </>
      }
    >
      {!mayChange.allowed && <p className="notice">A change of this deployment is for {mayChange.needs}.</p>}
      <MeanwhileNotice differences={meanwhile} draft={draft} form={form} onDismiss={forgetMeanwhile} />
      {apply.error && !isStale && <Problem error={apply.error} />}
      <div className="two change">
        <section aria-label="What you say">
          <VersionPick
            kindId={row.kind_id}
            chartId={draft.chartId}
            present={row.helm_chart_id}
            onChange={(id) => {
              setDraft((current) => ({ ...current, chartId: id }));
              setAddress({ chart: id === row.helm_chart_id ? null : id });
            }}
            isDisabled={!mayChange.allowed}
          />
          <Reading of={now}>
            {() => (
              <DraftInputs
                form={form}
                draft={draft}
                onChange={setDraft}
                envId={row.env_id}
                before={row}
                refused={refused}
                isDisabled={!mayChange.allowed}
                overrideNeeds={mayOverride.allowed ? null : mayOverride.needs}
              />
            )}
          </Reading>
        </section>
        <PlanPane
          planning={planning}
          supersede={supersede}
          noTasks={
            row.enabled
              ? 'No task follows: nothing of the release changes.'
              : 'No task follows while the deployment is disabled: the change applies when it is enabled.'
          }
          instead={instead}
          onUnplanned={problem && unplanned.has(problem.code) ? () => send(etag) : undefined}
        />
      </div>
      <ScheduleDialog
        deployment={row}
        wanted={{
          helm_chart_id: draft.chartId,
          config_inputs: configFor(form, draft.config),
          values_override: draft.override,
        }}
        isOpen={isScheduling}
        onClose={() => setIsScheduling(false)}
        onScheduled={(taskId) => leave('Scheduled.', taskId)}
      />
      <LeaveGuard isDirty={() => isDirty && !isDone.current} />
    </Page>
  );
}
