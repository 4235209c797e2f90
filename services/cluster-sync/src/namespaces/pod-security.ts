/** From the strictest to the weakest. */
export const podSecurityLevels = ['restricted', 'baseline', 'privileged'] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** The weakest of the levels; null if there are none. */
export const weakestLevel = (levels: readonly (PodSecurityLevel | null)[]): PodSecurityLevel | null =>
  podSecurityLevels.findLast((level) => levels.includes(level)) ?? null;

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
