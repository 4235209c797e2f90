import type { PodSecurityLevel } from '../grants/grantable-role.ts';

const label = (mode: 'enforce' | 'warn') => `pod-security.kubernetes.io/${mode}`;

/** The labels of a namespace; null removes one. During the transition they only warn. */
export const podSecurityLabels = (level: PodSecurityLevel, isShared: boolean): Record<string, string | null> => ({
  [label('enforce')]: isShared ? null : level,
  [label('warn')]: level,
});

export const hasLabels = (
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string | null>>,
): boolean => Object.entries(wanted).every(([name, value]) => (found[name] ?? null) === value);
