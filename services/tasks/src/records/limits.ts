/** How many tasks run at the same time. */
export interface Limits {
  perCluster: number;
  inAll: number;
}
