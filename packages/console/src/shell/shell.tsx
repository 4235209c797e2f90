import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMay, useMe } from '../api/me.ts';
import { useClusters, useEnvs } from '../api/names.ts';
import { pageOf } from '../api/reads.ts';
import { useConnection } from '../live/connection.tsx';
import { sessions } from '../api/session.ts';
import { exactTime, spanOf, useNow } from '../ui/age.tsx';
import { Choose } from '../ui/inputs/choose.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { LoadingRows } from '../ui/reading/problem.tsx';
import { Glyph } from '../ui/state.tsx';
import { Toasts } from '../ui/page/toasts.tsx';
import { useKeys } from './keys.ts';
import { usePalette } from './palette-state.ts';
import { keepRecentOf } from './recent.ts';
import { applyTheme, nextTheme, storedTheme } from './theme.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: component }) => ({ default: component })));

/** Navigation on the left, the screen on the right. */
export function Shell() {
  const isPaletteOpen = usePalette() !== 'closed';
  const { user } = useMe();
  // Before anything below is drawn.
  useState(() => keepRecentOf(user.id));
  const [isNavOpen, setIsNavOpen] = useState(false);
  useKeys();

  return (
    <div className="app" data-nav={isNavOpen ? 'open' : undefined}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Button
        className="button bare nav-toggle"
        aria-label="Navigation"
        aria-expanded={isNavOpen}
        onPress={() => setIsNavOpen(!isNavOpen)}
      >
        <Icon name="menu" />
      </Button>
      <Rail onNavigate={() => setIsNavOpen(false)} />
      <main id="main" tabIndex={-1}>
        <LostConnection />
        <Suspense fallback={<LoadingRows />}>
          <Outlet />
        </Suspense>
      </main>
      <Toasts />
      {isPaletteOpen && (
        <Suspense>
          <Palette />
        </Suspense>
      )}
    </div>
  );
}

function Rail({ onNavigate }: { onNavigate: () => void }) {
  const may = useMay();
  const env = useSearch({ strict: false, select: (search) => (search as { env?: string }).env ?? null });
  const query = env === null ? {} : { env_id: env };
  const total = { page: 1, per_page: 1 } as const;
  const deployments = useQuery(pageOf('deployments', { ...query, ...total }));
  const tasks = useQuery(pageOf('deploymentTasks', { ...query, ...total, active_only: true }));
  const unwell = [...useClusters().values()].filter(({ is_ok, ignore }) => !is_ok && !ignore).length;
  const isAuditor = may('auditEvents', 'list').allowed;
  const isSiteAdmin = may('bots', 'create').allowed;

  return (
    <nav className="rail" aria-label="Places" onClick={onNavigate}>
      <Link to="/" className="brand">
        <Icon name="berth" />
        Berth
      </Link>
      <ChosenEnv env={env} />
      <Place to="/" icon="home" words="Home" exact />
      <Place to="/deployments" icon="deployments" words="Deployments" count={deployments.data?.num_total} />
      <Place to="/tasks" icon="tasks" words="Tasks" count={tasks.data?.num_total} />
      <Place to="/charts" icon="charts" words="Charts" />
      <Place to="/clusters" icon="clusters" words="Clusters" count={unwell || undefined} isBad />
      <Place to="/envs" icon="envs" words="Envs" />
      {(isAuditor || isSiteAdmin) && <p className="group">Administration</p>}
      {isSiteAdmin && <Place to="/admin/users" icon="person" words="Users" />}
      {isSiteAdmin && <Place to="/admin/bots" icon="key" words="Bots" />}
      {isAuditor && <Place to="/admin/audit" icon="audit" words="Audit log" />}
      <Foot />
    </nav>
  );
}

interface PlaceProps {
  to: NonNullable<LinkProps['to']>;
  icon: IconName;
  words: string;
  count?: number | undefined;
  isBad?: boolean;
  exact?: boolean;
}

function Place({ to, icon, words, count, isBad, exact }: PlaceProps) {
  return (
    <Link
      to={to}
      // Each list has its own filters, so only the env is kept.
      search={(({ env }: { env?: string }) => (env === undefined ? {} : { env })) as never}
      activeOptions={{ exact: exact ?? false, includeSearch: false }}
      activeProps={{ className: 'here' }}
    >
      <Icon name={icon} />
      {words}
      {count !== undefined && <span className={isBad ? 'count bad' : 'count'}>{count.toLocaleString()}</span>}
    </Link>
  );
}

/** Chooses an env, which filters every list and is part of each address. */
function ChosenEnv({ env }: { env: string | null }) {
  const envs = [...useEnvs().values()];
  const navigate = useNavigate();
  const choose = (id: string | null) =>
    void navigate({
      to: '.',
      search: ((search: object) => ({ ...search, env: id ?? undefined, page: undefined })) as never,
    });
  return (
    <div className="chosen-env" onClick={(click) => click.stopPropagation()}>
      <Choose
        label="Env"
        inline
        none="All envs"
        choices={envs.map(({ id, name }) => ({ id, words: name })).sort((a, b) => a.words.localeCompare(b.words))}
        value={env}
        onChange={choose}
      />
    </div>
  );
}

function Foot() {
  const { user } = useMe();
  const [theme, setTheme] = useState(storedTheme);
  const change = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div className="foot">
      <ConnectionState />
      <Link to="/profile/user-tokens" title={user.email ?? ''}>
        <Icon name="person" />
        {user.display_name}
        {user.is_admin && <span className="count">site admin</span>}
      </Link>
      <div className="foot-buttons">
        <Button className="button bare small" onPress={change}>
          <Icon name="sun" />
          Theme: {theme}
        </Button>
        <Button className="button bare small" onPress={() => sessions.end()}>
          <Icon name="out" />
          Sign out
        </Button>
      </div>
    </div>
  );
}

function ConnectionState() {
  const { state, since } = useConnection();
  const words = { live: 'Live', connecting: 'Connecting', lost: 'Reconnecting' }[state];
  const tone = { live: 'ok', connecting: 'busy', lost: 'warn' } as const;
  return (
    <p
      className={`state ${tone[state]}`}
      role="status"
      aria-label="Connection"
      title={`since ${exactTime(new Date(since).toISOString())}`}
    >
      <Glyph tone={tone[state]} />
      {words}
    </p>
  );
}

/** Says since when the connection is lost: what is shown below is as old as that. */
function LostConnection() {
  const { state, since } = useConnection();
  const ms = useNow() - since;
  if (state !== 'lost') return null;
  return (
    <p className="notice warn lost" role="status">
      Reconnecting. What you see is as of {exactTime(new Date(since).toISOString())}
      {ms > 5_000 && `, ${spanOf(ms)} ago`}.
    </p>
  );
}
