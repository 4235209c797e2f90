import { type HelmChart, type JsonObject, unwrap } from '@berth/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { configFor } from '../../form/config.ts';
import type { Form } from '../../form/parsed-form.ts';
import { say } from '../../ui/page/toasts.tsx';
import { Problem } from '../../ui/reading/problem.tsx';
import type { Draft } from '../draft/draft.ts';
import { DraftInputs } from '../draft/draft-inputs.tsx';
import { PlanPane } from '../plan/plan-pane.tsx';
import { usePlannedDraft } from '../plan/use-planned-draft.tsx';
import { StepLink } from './step-links.tsx';
import { stepsToMend, stepWords } from './steps.ts';

interface Place {
  name: string;
  kind_id: string;
  cluster_id: string;
  adopt: boolean;
}

interface LastStepProps {
  place: Place;
  envId: string | null;
  chart: HelmChart;
  form: Form | null;
  draft: Draft;
  onChange: (change: (draft: Draft) => Draft) => void;
  onCreated: () => void;
  /** The page around it. */
  frame: (body: ReactNode, actions: ReactNode) => ReactNode;
}

/** The inputs of a new deployment, beside what creating it would do. */
export function LastStep({ place, envId, chart, form, draft, onChange, onCreated, frame }: LastStepProps) {
  const navigate = useNavigate();
  // A typed key shows at once. Errors and the plan may follow a moment later.
  const said = useDeferredValue(draft);
  const { adopt, ...where } = place;
  const config: JsonObject = configFor(form, said.config);
  const body = {
    ...where,
    helm_chart_id: chart.id,
    config,
    values_override: said.override,
    ...(adopt && { adopt }),
  };
  const { planning, problem, refused, firstToDo } = usePlannedDraft({
    form,
    draft: said,
    isChecked: true,
    request: { key: ['new', body], ask: (options) => berth.deploymentPlans.of_creation({ body }, options) },
  });

  const create = useMutation({
    mutationFn: async () => {
      const answer = await berth.deployments.create({ body });
      const { id } = unwrap(answer);
      return { id, taskId: answer.ok ? answer.taskIds[0] : undefined };
    },
    onSuccess: ({ id, taskId }) => {
      onCreated();
      say('Created. Its install is queued.');
      if (taskId !== undefined) return void navigate({ to: '/tasks/$id', params: { id: taskId } });
      return void navigate({ to: '/deployments/$id/{-$tab}', params: { id, tab: undefined } });
    },
  });
  const mend = problem === null ? [] : stepsToMend(problem);
  const actions = (
    <>
      {mend.map((step) => (
        <StepLink key={step} step={step} className="button">
          Change the {stepWords[step].toLowerCase()}
        </StepLink>
      ))}
      <Button
        className="button primary"
        isDisabled={!planning.isCurrent || create.isPending}
        onPress={() => create.mutate()}
      >
        {adopt ? 'Adopt by this plan' : 'Create by this plan'}
      </Button>
    </>
  );
  return frame(
    <>
      {create.error && <Problem error={create.error} />}
      <div className="two change">
        <section aria-label="What you say">
          <DraftInputs
            form={form}
            draft={draft}
            onChange={onChange}
            envId={envId}
            before={null}
            refused={refused}
            overrideNeeds={null}
          />
        </section>
        <PlanPane planning={planning} noTasks="No task follows." instead={firstToDo} />
      </div>
    </>,
    actions,
  );
}
