import { type Answer, unwrap } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Plan } from './plan-summary.ts';

/** A request for a plan. Plans are matched to requests by identity, so callers keep the object until the request differs. */
export interface PlanRequest {
  /** Equal for equal requests. */
  key: readonly unknown[];
  ask: (options: { signal: AbortSignal }) => Promise<Answer<Plan>>;
}

export interface Planning {
  /** The last plan. `isCurrent` says whether it is for the current request. */
  plan: Plan | undefined;
  /** When the plan was compared with the cluster, in ms since 1970. */
  at: number;
  error: Error | null;
  isCurrent: boolean;
  isWorking: boolean;
  again: () => void;
}

const waitMs = 600;

/** Keeps a plan up to date while somebody types. It is requested after a pause, which cancels the previous request. */
export function usePlan(request: PlanRequest | null): Planning {
  const asked = useDebounced(request, waitMs);
  const query = useQuery({
    queryKey: ['deployment_plans', ...(asked?.key ?? [])],
    queryFn: async ({ signal }) => {
      if (asked === null) throw new Error('There is nothing to plan');
      return unwrap(await asked.ask({ signal }));
    },
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data, dataUpdatedAt: at, error, isFetching, isPlaceholderData, isSuccess, refetch } = query;
  const isLatest = request === asked;
  const hasRequest = request !== null;
  return useMemo(
    () => ({
      plan: hasRequest ? data : undefined,
      at,
      error: isLatest && hasRequest && !isFetching ? error : null,
      isCurrent: isLatest && hasRequest && isSuccess && !isFetching && !isPlaceholderData,
      isWorking: hasRequest && (!isLatest || isFetching),
      again: () => void refetch(),
    }),
    [data, at, error, isFetching, isPlaceholderData, isSuccess, refetch, isLatest, hasRequest],
  );
}

/** Returns the same object as long as the keys are equal. */
export function useSameRequest(request: PlanRequest | null): PlanRequest | null {
  const kept = useRef(request);
  if (JSON.stringify(kept.current?.key) !== JSON.stringify(request?.key)) kept.current = request;
  return kept.current;
}
