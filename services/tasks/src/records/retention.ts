/** How long finished tasks are kept, with their logs. */
export interface Retention {
  /** After their end. */
  days: number;
  /** How many of the newest tasks of a deployment stay. */
  perDeployment: number;
  /** Successful Installs and Upgrades of a deployment that stay in any case, to roll back to. */
  runs: number;
}
