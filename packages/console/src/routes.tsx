import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  retainSearchParams,
} from '@tanstack/react-router';
import { Live } from './live/connection.tsx';
import { LostPage, FailedPage } from './shell/error-pages.tsx';
import { Shell } from './shell/shell.tsx';
import type { Search } from './ui/page/address.ts';
import { Callback } from './sign-in/callback.tsx';
import { Gate } from './sign-in/gate.tsx';
import { SignInAtOnce } from './sign-in/sign-in-at-once.tsx';

/** The search part of an address. Its values are texts, and anything else is ignored. */
const searchOf = (given: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
      .map(([key, value]) => [key, String(value)]),
  );

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: LostPage,
  errorComponent: FailedPage,
  validateSearch: searchOf,
  search: { middlewares: [retainSearchParams(['env'])] },
});

const callback = createRoute({ getParentRoute: () => root, path: '/auth/idp/callback', component: Callback });
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInAtOnce });

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: () => (
    <Gate>
      <Live>
        <Shell />
      </Live>
    </Gate>
  ),
});

const screen = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => inside, path, component });

const screens = [
  screen(
    '/',
    lazyRouteComponent(() => import('./home/home.tsx'), 'Home'),
  ),
  screen(
    '/deployments',
    lazyRouteComponent(() => import('./deployments/deployment-list.tsx'), 'DeploymentList'),
  ),
  screen(
    '/deployments/new',
    lazyRouteComponent(() => import('./deployments/create/create-page.tsx'), 'CreatePage'),
  ),
  screen(
    '/deployments/$id/change',
    lazyRouteComponent(() => import('./deployments/change/change-page.tsx'), 'ChangePage'),
  ),
  screen(
    '/deployments/$id/{-$tab}',
    lazyRouteComponent(() => import('./deployments/deployment-page.tsx'), 'DeploymentPage'),
  ),
  screen(
    '/tasks',
    lazyRouteComponent(() => import('./tasks/task-list.tsx'), 'TaskList'),
  ),
  screen(
    '/tasks/$id',
    lazyRouteComponent(() => import('./tasks/task-page.tsx'), 'TaskPage'),
  ),
  screen(
    '/charts',
    lazyRouteComponent(() => import('./charts/chart-list.tsx'), 'ChartList'),
  ),
  screen(
    '/charts/$id',
    lazyRouteComponent(() => import('./charts/chart-page.tsx'), 'ChartPage'),
  ),
  screen(
    '/clusters',
    lazyRouteComponent(() => import('./clusters/cluster-list.tsx'), 'ClusterList'),
  ),
  screen(
    '/clusters/$id',
    lazyRouteComponent(() => import('./clusters/cluster-page.tsx'), 'ClusterPage'),
  ),
  screen(
    '/envs',
    lazyRouteComponent(() => import('./envs/env-list.tsx'), 'EnvList'),
  ),
  screen(
    '/envs/$id/{-$tab}',
    lazyRouteComponent(() => import('./envs/env-page.tsx'), 'EnvPage'),
  ),
  screen(
    '/profile/user-tokens',
    lazyRouteComponent(() => import('./access/user-tokens.tsx'), 'UserTokens'),
  ),
  screen(
    '/admin/users',
    lazyRouteComponent(() => import('./access/user-list.tsx'), 'UserList'),
  ),
  screen(
    '/admin/bots',
    lazyRouteComponent(() => import('./access/bot-list.tsx'), 'BotList'),
  ),
  screen(
    '/admin/audit',
    lazyRouteComponent(() => import('./audit/audit-log.tsx'), 'AuditLog'),
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([callback, signIn, inside.addChildren([...screens])]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: LostPage,
  // Values are plain texts, so there is no JSON in addresses.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    );
    const text = new URLSearchParams(given).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
