import type { Deployment } from '@berth/client';
import { useCallback, useEffect, useState } from 'react';
import type { One } from '../../api/reads.ts';
import { changedMeanwhile, type Difference, rebased } from '../draft/changed-meanwhile.ts';
import { type Draft, draftOf, withChart } from '../draft/draft.ts';
import { useForm } from '../draft/use-form.ts';

/** What the viewer types about a deployment, which others may change meanwhile. */
export function useChange(fresh: One<Deployment>, firstChart: string | undefined) {
  const [began, setBegan] = useState(fresh);
  const [draft, setDraft] = useState<Draft>(() => ({
    ...draftOf(fresh.row),
    ...(firstChart !== undefined && { chartId: firstChart }),
  }));
  const [meanwhile, setMeanwhile] = useState<Difference[]>([]);
  /** The chart whose initial values are in the draft. */
  const [filledFor, setFilledFor] = useState(fresh.row.helm_chart_id);
  const now = useForm(draft.chartId);
  const before = useForm(began.row.helm_chart_id);

  // The tag does not cover the status, so only changes of fields that people can set count.
  useEffect(() => {
    if (fresh.etag === began.etag) return;
    setMeanwhile((earlier) => [...earlier, ...changedMeanwhile(began.row, fresh.row)]);
    setDraft((current) => rebased(current, began.row, fresh.row));
    setBegan(fresh);
  }, [fresh, began]);

  useEffect(() => {
    if (draft.chartId === filledFor || now.data === undefined || before.data === undefined) return;
    if (now.data.chart.id !== draft.chartId) return;
    const forms = { now: now.data.form, before: before.data.form };
    setFilledFor(draft.chartId);
    setDraft((current) => withChart(current, current.chartId, forms));
  }, [draft.chartId, filledFor, now.data, before.data]);

  const discard = useCallback(() => {
    setDraft(draftOf(began.row));
    setFilledFor(began.row.helm_chart_id);
    setMeanwhile([]);
  }, [began]);
  const isReady = now.data?.chart.id === draft.chartId && (filledFor === draft.chartId || before.error !== null);
  return { began, draft, setDraft, meanwhile, forgetMeanwhile: () => setMeanwhile([]), now, isReady, discard };
}
