/** Where the checked fields are in a request, for errors that name them. */
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

/** The request for a rollback has only the task, so its errors name that field. */
export const rollbackPaths: FieldPaths = {
  ...deploymentPaths,
  helm_chart_id: 'body.task_id.helm_chart_id',
  config: 'body.task_id.config',
};
