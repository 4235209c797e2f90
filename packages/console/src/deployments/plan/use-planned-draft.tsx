import { ProblemError } from '@berth/client';
import { useCallback, useMemo } from 'react';
import { errorsByInput, errorsOfForm } from '../../form/errors.ts';
import type { Form } from '../../form/parsed-form.ts';
import { useAddress } from '../../ui/page/address.ts';
import type { Draft } from '../draft/draft.ts';
import { FirstToDo } from '../draft/first-to-do.tsx';
import { type PlanRequest, usePlan, useSameRequest } from './use-plan.ts';

interface PlannedDraft {
  form: Form | null;
  draft: Draft;
  /** Whether the values of the inputs are checked. */
  isChecked: boolean;
  /** Asks for the plan of the draft; null while it changes nothing. */
  request: PlanRequest | null;
}

const noErrors = { byInput: new Map<string, never[]>(), whole: null };

/** What is wrong with a draft, or else its plan. */
export function usePlannedDraft({ form, draft, isChecked, request }: PlannedDraft) {
  const [, setAddress] = useAddress();
  const isOverrideBroken = draft.typed?.isBroken ?? false;
  const errors = useMemo(
    () => (form && isChecked ? errorsOfForm(form, draft.config) : noErrors),
    [form, isChecked, draft.config],
  );
  const fits = errors.byInput.size === 0 && errors.whole === null && !isOverrideBroken;
  const planning = usePlan(useSameRequest(fits ? request : null));
  const problem = planning.error instanceof ProblemError ? planning.error.problem : null;
  const refused = useMemo(() => errorsByInput(form?.inputs ?? [], problem?.errors ?? []), [form, problem]);
  const show = useCallback(
    (part: 'form' | 'override') => setAddress({ part: part === 'form' ? null : part }),
    [setAddress],
  );
  const firstToDo = useMemo(
    () =>
      fits ? null : (
        <FirstToDo
          form={form}
          errors={errors.byInput}
          whole={errors.whole}
          isOverrideBroken={isOverrideBroken}
          onShow={show}
        />
      ),
    [fits, form, errors, isOverrideBroken, show],
  );
  return {
    planning,
    problem,
    /** What the platform refuses, by input. */
    refused,
    /** Shown instead of a plan, until the draft can be planned. */
    firstToDo,
  };
}
