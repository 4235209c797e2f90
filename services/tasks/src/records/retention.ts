/** How long finished tasks are kept, with their logs. */
export interface Retention {
  /** After their end. */
  days: number;
  /** Of one deployment, the newest. */
  perDeployment: number;
  /** Successful Installs and Upgrades of a deployment that stay in any case, to roll back to. */
  runs: number;
}
