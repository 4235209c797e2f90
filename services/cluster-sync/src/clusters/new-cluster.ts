/** A discovered cluster, as it is stored. */
export interface NewCluster {
  readonly provider_id: string;
  readonly name: string;
  readonly region_name: string;
  readonly ignore: boolean;
}
