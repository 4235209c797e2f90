import type { Bus } from '@berth/bus/bus';
import {
  deploymentHealth,
  type HealthReport,
  type HealthVerdict,
  mostReports,
} from '@berth/contracts/resources/deployments/deployment-health';
import { isOutage } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import type { Reported, RollUpRepository } from './roll-up-repository.ts';

export interface ReportHealthDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly rollUpRepository: Pick<RollUpRepository, 'toReport' | 'reported'>;
  readonly log: Service['log'];
}

/** After a crash or a lost answer another replica reports the same version again. */
const claimMs = 10_000;

/** When a report is due again, in ms; null: not until the health changes. */
const againMs: Record<HealthVerdict, number | null> = {
  recorded: null,
  outdated: 1_000,
  // `tasks` may not know yet that the cluster answers again.
  silent: 3_000,
  // It may be about to be installed there; otherwise the namespace goes, and the report with it.
  elsewhere: 30_000,
};

/** Reports what was rolled up to `tasks`, until it has recorded it. */
export const reportHealth =
  ({ bus, rollUpRepository, log }: ReportHealthDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    for (let sent = mostReports; sent === mostReports && !signal.aborted; ) {
      const reports = await rollUpRepository.toReport(mostReports, claimMs);
      if (reports.length === 0) return;
      sent = reports.length;
      try {
        const { verdicts } = await bus.call(deploymentHealth.operations.report, { body: { reports } });
        await rollUpRepository.reported(reports.flatMap((report, index) => after(report, verdicts[index])));
      } catch (error) {
        if (!isOutage(error)) throw error;
        log.debug({ err: error }, 'the health of deployments cannot be reported yet');
        return;
      }
    }
  };

const after = (report: HealthReport, verdict: HealthVerdict | undefined): Reported[] =>
  verdict === undefined ? [] : [{ ...report, againMs: againMs[verdict], isOutdated: verdict === 'outdated' }];
