import { type Answer, unwrap } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Plan } from './plan-summary.ts';

/** What is planned. Its identity says whether a plan is of what is wanted now, so callers keep it until that differs. */
export interface PlanRequest {
  /** Alike for equal requests. */
  key: readonly unknown[];
  ask: (options: { signal: AbortSignal }) => Promise<Answer<Plan>>;
}

export interface Planning {
  /** The last plan; `isCurrent` says whether it is of what is wanted now. */
  plan: Plan | undefined;
  /** When the cluster was compared, in ms since 1970. */
  at: number;
  error: Error | null;
  isCurrent: boolean;
  isWorking: boolean;
  again: () => void;
}

const waitMs = 600;

/** Keeps a plan up to date while somebody types: it is asked for after a pause, and an earlier request is given up. */
export function usePlan(request: PlanRequest | null): Planning {
  const settled = useDebounced(request, waitMs);
  const query = useQuery({
    queryKey: ['deployment_plans', ...(settled?.key ?? [])],
    queryFn: async ({ signal }) => {
      if (settled === null) throw new Error('There is nothing to plan');
      return unwrap(await settled.ask({ signal }));
    },
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data, dataUpdatedAt: at, error, isFetching, isPlaceholderData, isSuccess, refetch } = query;
  const isSettled = request === settled;
  const isAsked = request !== null;
  return useMemo(
    () => ({
      plan: isAsked ? data : undefined,
      at,
      error: isSettled && isAsked && !isFetching ? error : null,
      isCurrent: isSettled && isAsked && isSuccess && !isFetching && !isPlaceholderData,
      isWorking: isAsked && (!isSettled || isFetching),
      again: () => void refetch(),
    }),
    [data, at, error, isFetching, isPlaceholderData, isSuccess, refetch, isSettled, isAsked],
  );
}

/** The same request for as long as its key says the same. */
export function useSameRequest(request: PlanRequest | null): PlanRequest | null {
  const kept = useRef(request);
  if (JSON.stringify(kept.current?.key) !== JSON.stringify(request?.key)) kept.current = request;
  return kept.current;
}
