import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeployments } from '../api/by-ids.ts';
import { useMay } from '../api/me.ts';
import { nameIn, useClusters, useEnvs, useKinds } from '../api/names.ts';
import { pageOf } from '../api/reads.ts';
import { sessions } from '../api/session.ts';
import type { IconName } from '../ui/icons.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { places } from './keys.ts';
import type { PaletteItem, PaletteSection } from './palette-items.ts';
import { palette } from './palette-state.ts';
import { recent } from './recent.ts';
import { applyTheme, nextTheme, storedTheme } from './theme.ts';

const placeIcons: Readonly<Record<string, IconName>> = {
  h: 'home',
  d: 'deployments',
  t: 'tasks',
  c: 'charts',
  k: 'clusters',
  e: 'envs',
};

const pauseMs = 150;

/** Everything that the palette offers. The server searches the deployments, of which there may be thousands. */
export function usePaletteSections(typed: string): PaletteSection[] {
  const navigate = useNavigate();
  const may = useMay();
  const [envs, clusters, kinds] = [useEnvs(), useClusters(), useKinds()];
  // Only the last word, since those before it may name the kind or the env.
  const name = useDebounced(typed, pauseMs).trim().split(/\s+/).at(-1) ?? '';
  const deployments = useQuery({
    ...pageOf('deployments', { name, sort: 'name', per_page: 20 }),
    enabled: name !== '',
  });
  // On a small platform these are all of them, so most searches are answered at once.
  const first = useQuery(pageOf('deployments', { sort: 'name', per_page: 100 }));
  const tasks = useQuery(pageOf('deploymentTasks', { sort: '-created_at', per_page: 50 }));
  const charts = useQuery(pageOf('chartVersions', { per_page: 100 }));
  const ofTasks = useDeployments(tasks.data?.items.map(({ deployment_id }) => deployment_id) ?? []);
  const full = ({ kind_id, name }: { kind_id: string; name: string }) => `${nameIn(kinds, kind_id)} / ${name || '—'}`;

  const rows = new Map([...(first.data?.items ?? []), ...(deployments.data?.items ?? [])].map((row) => [row.id, row]));
  const found: PaletteItem[] = [...rows.values()].map((row) => ({
    id: row.id,
    words: full(row),
    note: `${nameIn(envs, row.env_id)} · ${nameIn(clusters, row.cluster_id)}`,
    icon: 'deployments',
    run: () => void navigate({ to: '/deployments/$id/{-$tab}', params: { id: row.id, tab: undefined } }),
  }));
  const goTo: PaletteItem[] = Object.entries(places).map(([key, { to, words }]) => ({
    id: `place ${to}`,
    words: `Go to ${words}`,
    icon: placeIcons[key] ?? 'out',
    key: `g ${key}`,
    run: () => void navigate({ to }),
  }));
  const actions: PaletteItem[] = [
    ...(may.somewhere('deployments', 'create')
      ? [
          {
            id: 'new deployment',
            words: 'New deployment',
            icon: 'plus',
            run: () => void navigate({ to: '/deployments/new' }),
          } as const,
        ]
      : []),
    ...goTo,
    { id: 'tokens', words: 'Your tokens', icon: 'key', run: () => void navigate({ to: '/profile/user-tokens' }) },
    {
      id: 'theme',
      words: `Theme: change to ${nextTheme(storedTheme())}`,
      icon: 'sun',
      run: () => applyTheme(nextTheme(storedTheme())),
    },
    { id: 'keys', words: 'Keyboard: show all keys', icon: 'menu', key: '?', run: () => palette.set('keys') },
    { id: 'sign out', words: 'Sign out', icon: 'out', run: () => sessions.end() },
  ];
  if (typed.trim() === '') {
    return [
      {
        title: 'Recently visited',
        items: recent().map(({ id, to, name }) => ({
          id: `recent ${id}`,
          words: name,
          icon: to.startsWith('/tasks') ? 'tasks' : 'deployments',
          run: () => void navigate({ to, params: { id, tab: undefined } }),
        })),
      },
      { title: 'Actions', items: actions },
    ];
  }
  return [
    { title: 'Deployments', items: found },
    {
      title: 'Tasks',
      items: (tasks.data?.items ?? []).map(({ id, operation, status, deployment_id }) => {
        const row = ofTasks.get(deployment_id);
        const [what = 'Task'] = Object.keys(operation);
        return {
          id,
          words: `${what} of ${row === undefined ? deployment_id.slice(0, 8) : full(row)}`,
          note: `${status} · ${id.slice(0, 8)}`,
          icon: 'tasks',
          run: () => void navigate({ to: '/tasks/$id', params: { id } }),
        };
      }),
    },
    {
      title: 'Charts',
      items: (charts.data?.items ?? []).map(({ id, kind_id, image_tag, parsed_branch }) => ({
        id,
        words: `${nameIn(kinds, kind_id)} ${image_tag}`,
        note: parsed_branch ?? undefined,
        icon: 'charts',
        run: () => void navigate({ to: '/charts/$id', params: { id } }),
      })),
    },
    {
      title: 'Clusters',
      items: [...clusters.values()].map(({ id, name, region_name }) => ({
        id,
        words: name,
        note: region_name,
        icon: 'clusters',
        run: () => void navigate({ to: '/clusters/$id', params: { id } }),
      })),
    },
    {
      title: 'Envs',
      items: [...envs.values()].map(({ id, name }) => ({
        id,
        words: name,
        icon: 'envs',
        run: () => void navigate({ to: '/envs/$id/{-$tab}', params: { id, tab: undefined } }),
      })),
    },
    { title: 'Actions', items: actions },
  ];
}
