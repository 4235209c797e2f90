import { implement } from '@berth/bus/rpc/implement';
import { deploymentHealth } from '@berth/contracts/resources/deployments/deployment-health';
import type { InTransaction } from '../store/store.ts';
import { recordReports } from './record-reports.ts';

export interface HealthHandlersDeps {
  inTransaction: InTransaction;
}

export const healthHandlers = ({ inTransaction }: HealthHandlersDeps) =>
  implement(deploymentHealth, {
    report: async ({ body: { reports } }) => ({
      verdicts: await inTransaction((store) => recordReports(store, reports)),
    }),
  });
