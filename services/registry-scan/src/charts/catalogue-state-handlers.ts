import { implement } from '@berth/shared/bus/rpc/implement';
import { catalogueState } from '@berth/shared/contracts/resources/catalogue-state';
import { DeploymentKind, deploymentKinds } from '@berth/shared/contracts/resources/deployment-kinds';
import { HelmChart, helmCharts } from '@berth/shared/contracts/resources/helm-charts';
import { HelmRegistry, helmRegistries } from '@berth/shared/contracts/resources/helm-registries';
import { rowState } from '@berth/shared/contracts/resources/row-state';
import type { Queries } from '@berth/shared/db/database';
import { rowStateNow } from '@berth/shared/db/outbox/row-state';

export const catalogueStateHandlers = ({ db }: { db: Queries }) =>
  implement(catalogueState, {
    now: async ({ body: { helm_chart_id, kind_id } }) => {
      const chart =
        helm_chart_id === undefined ? null : await rowStateNow(db, helmCharts, rowState(HelmChart), helm_chart_id);
      return {
        chart,
        registry: chart && (await rowStateNow(db, helmRegistries, rowState(HelmRegistry), chart.row.helm_registry_id)),
        kind: kind_id === undefined ? null : await rowStateNow(db, deploymentKinds, rowState(DeploymentKind), kind_id),
      };
    },
  });
