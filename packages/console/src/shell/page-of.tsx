import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import { Reading } from '../ui/reading/reading.tsx';
import { Page } from './page.tsx';

interface PageOfProps<T> extends Pick<ComponentProps<typeof Page>, 'title' | 'crumbs'> {
  of: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** The screen of one row. While the row is read, or if that fails, it already has a title and the way back. */
export function PageOf<T>({ of, children, ...frame }: PageOfProps<T>) {
  if (of.data !== undefined) return <Reading of={of}>{children}</Reading>;
  return (
    <Page {...frame}>
      <Reading of={of}>{() => null}</Reading>
    </Page>
  );
}
