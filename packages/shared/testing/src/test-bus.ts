import type { Bus } from '@berth/bus/bus';
import { type BusOptions, connectBus } from '@berth/bus/connect-bus';
import type { CallerName } from '@berth/contracts/definition/contract';
import { createLog } from '@berth/service/logging/create-log';
import { recordOutcomes } from './contracts/outcomes.ts';
import { verifyTestIdentity } from './test-identities.ts';
import type { TestNats } from './test-nats.ts';

export const silentLog = createLog('test', { level: 'silent' });

/** A bus on a test server as one of the callers; it accepts identities signed by `identityToken`. */
export const connectTestBus = async (
  nats: TestNats,
  caller: CallerName,
  options: Partial<BusOptions> = {},
): Promise<Bus> =>
  recordOutcomes(
    await connectBus({
      servers: [nats.url],
      caller,
      password: nats.password,
      resources: nats.resources,
      log: silentLog,
      verifyIdentity: verifyTestIdentity,
      ...options,
    }),
  );

const patience = { deadlineMs: 20_000 };

/** The same with a long default deadline: two seconds are short on a machine that stalls. */
export const connectPatientTestBus = async (...connection: Parameters<typeof connectTestBus>): Promise<Bus> => {
  const bus = await connectTestBus(...connection);
  return {
    ...bus,
    call: (operation, request, options) => bus.call(operation, request, { ...patience, ...options }),
    callForBytes: (operation, request, options) => bus.callForBytes(operation, request, { ...patience, ...options }),
  };
};
