import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoadingRows, Problem } from './problem.tsx';

interface ReadingProps<T> {
  of: Pick<UseQueryResult<T>, 'data' | 'error'> & { refetch: () => unknown };
  rows?: number;
  children: (data: T) => ReactNode;
}

/** Shows what was read. A failed repeat leaves it there and says that it is old. */
export function Reading<T>({ of, rows, children }: ReadingProps<T>) {
  const retry = () => void of.refetch();
  if (of.data === undefined) {
    return of.error ? (
      <Problem error={of.error} onRetry={retry} />
    ) : (
      <LoadingRows {...(rows !== undefined && { rows })} />
    );
  }
  return (
    <>
      {of.error && <Problem error={of.error} onRetry={retry} />}
      {children(of.data)}
    </>
  );
}
