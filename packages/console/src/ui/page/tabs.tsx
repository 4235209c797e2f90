import { Link, type LinkProps } from '@tanstack/react-router';

interface Tab {
  words: string;
  count?: number | undefined;
  to: NonNullable<LinkProps['to']>;
  params?: Record<string, string | undefined>;
}

/** The parts of a screen. Each has its own address. */
export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ words, count, to, params }) => (
        <Link
          key={words}
          to={to}
          params={(params ?? {}) as never}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: 'here' }}
        >
          {words}
          {count !== undefined && <span className="count">{count.toLocaleString()}</span>}
        </Link>
      ))}
    </nav>
  );
}
