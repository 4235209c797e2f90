import { AppError } from '@berth/contracts/errors';

/** Charts and kinds belong to another service, so their projections lag. */
export interface CatalogueNames {
  helm_chart_id?: string;
  kind_id?: string;
}

/**
 * 422 for a chart or kind that this service does not know. It names the missing row, so that it can be confirmed with its owner
 * before the caller is refused.
 */
export class CatalogueRefusal extends AppError {
  readonly names: CatalogueNames;

  constructor(names: CatalogueNames, path: string, message: string) {
    super('unprocessable', `${path}: ${message}`, { errors: [{ path, message }] });
    this.names = names;
  }
}
