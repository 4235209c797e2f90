import { implement } from '@berth/bus/rpc/implement';
import { catalogueState } from '@berth/contracts/resources/charts/catalogue-state';
import { DeploymentKind, deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries, PublishedRegistry } from '@berth/contracts/resources/charts/helm-registries';
import { rowState } from '@berth/contracts/fields/row-state';
import type { Queries } from '@berth/db/database';
import { rowStateNow } from '@berth/db/outbox/row-state';

export const catalogueStateHandlers = ({ db }: { db: Queries }) =>
  implement(catalogueState, {
    now: async ({ body: { helm_chart_id, kind_id } }) => {
      const chart =
        helm_chart_id === undefined ? null : await rowStateNow(db, helmCharts, rowState(HelmChart), helm_chart_id);
      return {
        chart,
        registry:
          chart && (await rowStateNow(db, helmRegistries, rowState(PublishedRegistry), chart.row.helm_registry_id)),
        kind: kind_id === undefined ? null : await rowStateNow(db, deploymentKinds, rowState(DeploymentKind), kind_id),
      };
    },
  });
