import type { Identity } from './identity.ts';

/** The envs whose rows a caller may see. */
export type VisibleEnvs = 'all' | readonly string[];

/** The envs whose contents an identity may see (Specification, "Visibility"): all for site admins and bots, else their own. */
export function visibleEnvs(identity: Identity): 'all' | string[] {
  if (identity.kind === 'bot') return 'all';
  if (identity.kind === 'deployment') return [identity.env_id];
  return identity.is_admin ? 'all' : Object.keys(identity.env_roles);
}

export function seesEnv(identity: Identity, envId: string | null): boolean {
  if (identity.kind === 'user' && !identity.is_admin) return envId !== null && identity.env_roles[envId] !== undefined;
  const visible = visibleEnvs(identity);
  return visible === 'all' || (envId !== null && visible.includes(envId));
}
