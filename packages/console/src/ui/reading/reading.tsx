import type { ReactNode } from 'react';
import { readFailedAgain } from '../../api/queries.ts';
import { LoadingRows, Problem } from './problem.tsx';

interface ReadingProps<T> {
  of: { data: T | undefined; error: Error | null };
  rows?: number;
  children: (data: T) => ReactNode;
}

/** Shows what was read. If reading it again fails, it stays there with the error above it. */
export function Reading<T>({ of, rows, children }: ReadingProps<T>) {
  if (of.data === undefined) {
    return of.error ? (
      <Problem error={of.error} onRetry={readFailedAgain} />
    ) : (
      <LoadingRows {...(rows !== undefined && { rows })} />
    );
  }
  return (
    <>
      {of.error && <Problem error={of.error} onRetry={readFailedAgain} />}
      {children(of.data)}
    </>
  );
}
