import { plainText } from '@berth/contracts/plain-text';

/** Why an object is not healthy. */
export interface Cause {
  /** For programs: the reason that Kubernetes gives, such as `ImagePullBackOff`, or one of `OwnCause`. */
  readonly cause: string;
  /** The same for people, on one line. */
  readonly message: string;
}

/** Our own reasons, for cases that Kubernetes has none for. */
export type OwnCause =
  | 'ContainerExited'
  | 'NotReady'
  | 'ReplicasUnavailable'
  | 'ClaimPending'
  | 'ClaimLost'
  | 'LoadBalancerPending'
  | 'Suspended'
  | 'Terminating'
  | 'Failed';

/** Reasons of Kubernetes are CamelCase; anything else is text of a stranger. */
const isReason = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Z][A-Za-z0-9]{0,63}$/.test(text);

const maxMessage = 500;

/** `reason` as Kubernetes gives it, or `otherwise` if it is not a CamelCase word. */
export const causeOfReason = (reason: string | undefined, otherwise: OwnCause, message: string): Cause => ({
  cause: isReason(reason) ? reason : otherwise,
  message: plainText(message, maxMessage),
});

export const ownCause = (cause: OwnCause, message: string): Cause => causeOfReason(undefined, cause, message);
