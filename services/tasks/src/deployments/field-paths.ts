/** Where a request has the fields that are checked, for the errors that name them. */
export interface FieldPaths {
  name: string;
  cluster_id: string;
  kind_id: string;
  helm_chart_id: string;
  config: string;
}

export const deploymentPaths: FieldPaths = {
  name: 'body.name',
  cluster_id: 'body.cluster_id',
  kind_id: 'body.kind_id',
  helm_chart_id: 'body.helm_chart_id',
  config: 'body.config',
};

/** Of a task asked for by its operation. */
export const operationPaths = (variant: 'Install' | 'Upgrade'): FieldPaths => ({
  ...deploymentPaths,
  helm_chart_id: `body.operation.${variant}.helm_chart_id`,
  config: `body.operation.${variant}.config_inputs`,
});
