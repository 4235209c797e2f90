import { Link, type LinkProps } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect } from 'react';
import { OpenPalette } from '../shell/open-palette.tsx';

interface Crumb {
  words: string;
  to: NonNullable<LinkProps['to']>;
  params?: Record<string, string>;
}

interface PageProps {
  title: string;
  /** The places above this one. */
  crumbs?: Crumb[];
  /** Beside the title: the state of what is shown. */
  state?: ReactNode;
  /** The primary action is the last one. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every screen: crumbs and search on one line, title with state and actions on the next. */
export function Page({ title, crumbs = [], state, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);

  return (
    <>
      <div className="bar">
        <nav className="crumbs" aria-label="Breadcrumbs">
          {crumbs.map(({ words, to, params }) => (
            <Fragment key={words}>
              <Link to={to} params={(params ?? {}) as never} activeOptions={{ exact: true }}>
                {words}
              </Link>
              <span aria-hidden="true">/</span>
            </Fragment>
          ))}
          <span aria-current="page">{title}</span>
        </nav>
        <OpenPalette />
      </div>
      <header className="head">
        <h1>{title}</h1>
        {state}
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
