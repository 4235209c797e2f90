/** The platform answered, but the deployment does not work. The message is the platform's reason. */
export class JourneyFailed extends Error {
  override readonly name = 'JourneyFailed';
}
