import { namesOf } from './complete-names.ts';

const common = { kind: 'parsed', parse: String, proposeCompletions: namesOf('envs') } as const;

/** With the alias `e`. */
export const envFlag = (brief: string) => ({ ...common, brief, optional: true }) as const;

export const requiredEnvFlag = (brief: string) => ({ ...common, brief }) as const;
