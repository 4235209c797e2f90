/**
 * The Secret in the namespace. `intact`: as it was last written. `altered`: changed since, or not written by us as far as is
 * known. `of_chart`: part of the chart's release, so every write would undo Helm's and Helm's ours.
 */
export type SecretState = 'absent' | 'intact' | 'altered' | 'of_chart';

export interface CredentialFacts {
  readonly secret: SecretState;
  /** Since when the Secret is absent or altered, in ms of the clock of `now`. */
  readonly differsSince: number;
  readonly refreshAt: number;
  /** Not before this: it was just written, or writing it failed. */
  readonly notBefore: number;
}

export type CredentialStep =
  /** Earlier deadlines are written first. */
  { readonly step: 'write'; readonly deadline: number } | { readonly step: 'rest' };

/** A missing or changed Secret is to be right again well within a minute. */
const repairWithinMs = 20_000;
/** A refresh has half an hour left, so repairs go first unless they keep it waiting for this long. */
const refreshWithinMs = 5 * 60_000;

const rest: CredentialStep = { step: 'rest' };

/** What is done about the credentials of a deployment. It does no I/O, so its test is a table. */
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
