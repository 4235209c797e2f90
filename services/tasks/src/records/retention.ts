/** How long finished tasks and their logs are kept. */
export interface Retention {
  /** After their end. */
  days: number;
  /** How many of a deployment's newest tasks are kept. */
  perDeployment: number;
  /** How many of a deployment's successful Installs and Upgrades are always kept, for rollbacks. */
  runs: number;
}
