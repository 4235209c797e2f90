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
const againMs: Record<HealthVerdict | 'refused', number | null> = {
  recorded: null,
  outdated: 1_000,
  // `tasks` may not know yet that the cluster answers again.
  silent: 3_000,
  // It may be about to be installed there; otherwise the namespace goes, and the report with it.
  elsewhere: 30_000,
  // A bug of either service: the same report is refused again, and the others must not wait for it.
  refused: 60_000,
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
        await send(reports);
      } catch (error) {
        if (!isOutage(error)) throw error;
        log.debug({ err: error }, 'the health of deployments cannot be reported yet');
        return;
      }
    }

    async function send(batch: readonly HealthReport[]): Promise<void> {
      const verdicts = await verdictsOn(batch).catch((error: unknown) => {
        if (isOutage(error)) throw error;
        return oneByOne(batch, error);
      });
      await rollUpRepository.reported(batch.flatMap((report, index) => after(report, verdicts[index])));
    }

    async function verdictsOn(batch: readonly HealthReport[]): Promise<readonly HealthVerdict[]> {
      return (await bus.call(deploymentHealth.operations.report, { body: { reports: [...batch] } })).verdicts;
    }

    /** Finds the reports that `tasks` refuses, so that they do not hold up the others. */
    async function oneByOne(batch: readonly HealthReport[], reason: unknown): Promise<(HealthVerdict | 'refused')[]> {
      const verdicts: (HealthVerdict | 'refused')[] = [];
      for (const report of batch) {
        const { deployment_id } = report;
        const refused = (error: unknown) => {
          if (isOutage(error)) throw error;
          log.error({ err: error, deployment_id }, 'tasks refuses to record the health of a deployment');
          return ['refused' as const];
        };
        verdicts.push(...(batch.length === 1 ? refused(reason) : await verdictsOn([report]).catch(refused)));
      }
      return verdicts;
    }
  };

const after = (report: HealthReport, verdict: HealthVerdict | 'refused' | undefined): Reported[] =>
  verdict === undefined ? [] : [{ ...report, againMs: againMs[verdict], isOutdated: verdict === 'outdated' }];
