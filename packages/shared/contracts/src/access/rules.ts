import type { DeploymentRole, Identity } from './identity.ts';

/**
 * The callers that may run an operation: a predicate, and its description in the docs and in 403 answers.
 * `on: 'row'` means that the decision needs the stored row; the handler passes the row to `permit`.
 */
export interface Rule<Scope = unknown> {
  says: string;
  on: 'identity' | 'row';
  allows(identity: Identity, scope: Scope): boolean;
  /** Whether some row could allow it; if absent, some row may allow any identity. */
  allowsSomewhere?(identity: Identity): boolean;
}

/** False if the rule refuses this identity whatever the row is; the rest of the request need not be read then. */
export const mayBeAllowed = (rule: Rule<never>, identity: Identity): boolean =>
  rule.on === 'identity' ? rule.allows(identity, undefined as never) : (rule.allowsSomewhere?.(identity) ?? true);

export interface EnvScope {
  env_id: string | null;
}

export interface KindScope extends EnvScope {
  kind_id: string;
}

const isSiteAdmin = (identity: Identity): boolean => identity.kind === 'user' && identity.is_admin;

const isEnvAdmin = (identity: Identity, envId: string | null): boolean =>
  isSiteAdmin(identity) || (identity.kind === 'user' && envId !== null && identity.env_roles[envId] === 'Admin');

const isSomeEnvAdmin = (identity: Identity): boolean =>
  isSiteAdmin(identity) || (identity.kind === 'user' && Object.values(identity.env_roles).includes('Admin'));

const hasSomeDeploymentRole = (identity: Identity, role?: DeploymentRole): boolean =>
  identity.kind === 'user' && identity.deployment_roles.some((held) => role === undefined || held.role === role);

const isSomeOwner = (identity: Identity): boolean =>
  isSomeEnvAdmin(identity) || hasSomeDeploymentRole(identity, 'Owner');

const isSomeMaintainer = (identity: Identity): boolean =>
  identity.kind !== 'user' || isSomeEnvAdmin(identity) || hasSomeDeploymentRole(identity);

/** A deployment role counts only while its holder is a member of the env. */
const hasDeploymentRole = (identity: Identity, { env_id, kind_id }: KindScope, role: 'Owner' | 'Maintainer'): boolean =>
  identity.kind === 'user' &&
  env_id !== null &&
  identity.env_roles[env_id] !== undefined &&
  identity.deployment_roles.some((held) => held.env_id === env_id && held.kind_id === kind_id && held.role === role);

const isOwner = (identity: Identity, scope: KindScope): boolean =>
  isEnvAdmin(identity, scope.env_id) || hasDeploymentRole(identity, scope, 'Owner');

/** A valid bot counts as a maintainer and nothing more (Specification, "Roles"). */
const isMaintainer = (identity: Identity, scope: KindScope): boolean =>
  identity.kind === 'bot' ||
  (identity.kind === 'deployment' && identity.env_id === scope.env_id) ||
  isOwner(identity, scope) ||
  hasDeploymentRole(identity, scope, 'Maintainer');

export const signedIn: Rule = { says: 'anyone signed in', on: 'identity', allows: () => true };

export const siteAdmin: Rule = { says: 'a site admin', on: 'identity', allows: isSiteAdmin };

export const envAdmin: Rule<EnvScope> = {
  says: 'an admin of the env',
  on: 'row',
  allows: (identity, { env_id }) => isEnvAdmin(identity, env_id),
  allowsSomewhere: isSomeEnvAdmin,
};

export const owner: Rule<KindScope> = {
  says: 'an owner of the deployment',
  on: 'row',
  allows: isOwner,
  allowsSomewhere: isSomeOwner,
};

export const maintainer: Rule<KindScope> = {
  says: 'a maintainer of the deployment',
  on: 'row',
  allows: isMaintainer,
  allowsSomewhere: isSomeMaintainer,
};

/** The readers of the audit log: site admins read all of it, env admins that of their envs. */
export const auditor: Rule = {
  says: 'a site admin, or an admin of an env',
  on: 'identity',
  allows: (identity) => isSiteAdmin(identity) || auditedEnvs(identity).length > 0,
};

/** The envs whose audit events an env admin may see. */
export const auditedEnvs = (identity: Identity): string[] =>
  identity.kind === 'user'
    ? Object.keys(identity.env_roles).filter((envId) => identity.env_roles[envId] === 'Admin')
    : [];

/** For user tokens: the user whose token it is, and site admins. */
export const tokenHolder: Rule<{ user_id: string }> = {
  says: 'the user the token belongs to, or a site admin',
  on: 'row',
  allows: (identity, { user_id }) => identity.kind === 'user' && (identity.is_admin || identity.id === user_id),
  allowsSomewhere: ({ kind }) => kind === 'user',
};

/** A task's creator. Its public row names a user or a deployment; a bot is known only as its requester. */
interface TaskScope extends KindScope {
  acting_user_id: string | null;
  acting_deployment_id: string | null;
  requester: { kind: Identity['kind']; id: string } | null;
}

/** For canceling or retrying a task: its creator, or an owner of its deployment (Specification, "Who may do what"). */
export const taskCreatorOrOwner: Rule<TaskScope> = {
  says: 'the creator of the task, or an owner of its deployment',
  on: 'row',
  allows: (identity, task) =>
    (identity.kind === 'user' && identity.id === task.acting_user_id) ||
    (identity.kind === 'deployment' && identity.id === task.acting_deployment_id) ||
    (identity.kind === 'bot' && task.requester?.kind === 'bot' && identity.id === task.requester.id) ||
    isOwner(identity, task),
};

/** The type of the resource names the role that may write it (`lifecycle.<op>.allowed_role`). */
export const lifecycleRole: Rule<KindScope & { allowed_role: 'Owner' | 'Maintainer'; deployment_id: string | null }> = {
  says: 'the role that the type of the resource names for this operation, or the deployment that manages it',
  on: 'row',
  allows: (identity, scope) =>
    (identity.kind === 'deployment' && identity.id === scope.deployment_id && identity.env_id === scope.env_id) ||
    (scope.allowed_role === 'Owner' ? isOwner(identity, scope) : isMaintainer(identity, scope)),
  allowsSomewhere: isSomeMaintainer,
};

/** No credential is needed: login, keys, health. */
export const anyone = { says: 'anyone, without a credential', on: 'nothing' } as const;

/** Not reachable from outside: subject and NATS user prove that the caller is a service of the platform. */
export const ourServices = { says: 'services of the platform', on: 'service' } as const;

// oxlint-disable-next-line typescript/no-explicit-any -- rules for every kind of row meet in this union
export type Access = Rule<any> | typeof anyone | typeof ourServices;
