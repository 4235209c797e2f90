import { AppError } from '@berth/contracts/errors';

/** Charts and kinds belong to another service, whose rows arrive here a moment later. */
export interface CatalogueNames {
  helm_chart_id?: string;
  kind_id?: string;
}

/** 422 for a chart or kind. It says which, so that they can be confirmed with their owner before the caller is refused. */
export class CatalogueRefusal extends AppError {
  readonly names: CatalogueNames;

  constructor(names: CatalogueNames, path: string, message: string) {
    super('unprocessable', `${path}: ${message}`, { errors: [{ path, message }] });
    this.names = names;
  }
}
