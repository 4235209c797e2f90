/**
 * The Secret in the namespace. `intact`: as we last wrote it. `altered`: changed since, or not known to be written by us.
 * `of_chart`: part of the chart's release, so our writes and Helm's would undo each other.
 */
export type SecretState = 'absent' | 'intact' | 'altered' | 'of_chart';

export interface CredentialFacts {
  readonly secret: SecretState;
  /** When the Secret became absent or altered, in ms of the same clock as `now`. */
  readonly differsSince: number;
  readonly refreshAt: number;
  /** Do not write before this: the Secret was just written, or writing it failed. */
  readonly notBefore: number;
}

export type CredentialStep =
  /** Earlier deadlines are written first. */
  { readonly step: 'write'; readonly deadline: number } | { readonly step: 'rest' };

/** A missing or changed Secret is repaired well within a minute. */
const repairWithinMs = 20_000;
/** A refresh has half an hour left, so repairs go first unless they delay it by this much. */
const refreshWithinMs = 5 * 60_000;

const rest: CredentialStep = { step: 'rest' };

/** Decides what to do about the credentials of a deployment. It does no I/O, so its test is a table. */
export function credentialStep({ secret, ...facts }: CredentialFacts, now: number): CredentialStep {
  if (now < facts.notBefore) return rest;
  switch (secret) {
    case 'of_chart':
      return rest;
    case 'absent':
    case 'altered':
      return { step: 'write', deadline: facts.differsSince + repairWithinMs };
    default:
      return now >= facts.refreshAt ? { step: 'write', deadline: facts.refreshAt + refreshWithinMs } : rest;
  }
}
