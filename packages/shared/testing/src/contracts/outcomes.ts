import { appendFileSync } from 'node:fs';
import type { Bus } from '@berth/bus/bus';
import type { Operation, Resource } from '@berth/contracts/definition/contract';
import { isCreation } from '@berth/contracts/definition/idempotency-key';
import { resources } from '@berth/contracts/resources/index';
import { type ProblemStatus, problemStatuses } from '@berth/contracts/openapi/problems';
import { AppError, errorCodes } from '@berth/contracts/errors';

/** `envs.create 409`: an answer of an operation; 200 for any success. */
type Outcome = string;

const outcomeOf = ({ resource, name }: Operation, status: number): Outcome => `${resource}.${name} ${status}`;

const written = new Set<Outcome>();

/** Appends an outcome to the file that `TEST_OUTCOMES` names, once per process. */
export function recordOutcome(operation: Operation, status: number): void {
  const file = process.env['TEST_OUTCOMES'];
  const outcome = outcomeOf(operation, status);
  if (file === undefined || written.has(outcome)) return;
  written.add(outcome);
  appendFileSync(file, `${outcome}\n`);
}

/** Appends each outcome of the calls on this bus to the file that `TEST_OUTCOMES` names, once per process. */
export function recordOutcomes(bus: Bus): Bus {
  if (process.env['TEST_OUTCOMES'] === undefined) return bus;

  const recorded = async <T>(operation: Operation, calling: Promise<T>): Promise<T> => {
    try {
      const answer = await calling;
      recordOutcome(operation, 200);
      return answer;
    } catch (error) {
      if (error instanceof AppError) recordOutcome(operation, errorCodes[error.code]);
      throw error;
    }
  };
  return {
    ...bus,
    call: (operation, ...rest) => recorded(operation, bus.call(operation, ...rest)),
    callForBytes: (operation, ...rest) => recorded(operation, bus.callForBytes(operation, ...rest)),
  };
}

/** Refusals that each operation decides itself. If-Match is compared in one place, and the gateway decides the rest. */
const ownProblems: readonly ProblemStatus[] = [400, 401, 403, 404, 409];

/** Refusals that an operation's rule allows in general but that cannot occur for its rows. */
const impossible: readonly Outcome[] = [
  // Only its user and site admins see a user token, and both may revoke it; for all others it is 404.
  'user_tokens.delete 403',
  // The gateway refuses it before it would call itself.
  'server.get 400',
];

/** Covered by the stub of auth in the gateway's test of all codes. */
const ofStandIns: readonly Outcome[] = ['envs.list 409'];

/** Outcomes that contracts of public operations declare but that were not recorded. */
export const missingOutcomes = (recorded: ReadonlySet<Outcome>): Outcome[] =>
  publicOperations().flatMap(({ operation, resource }) =>
    [200, ...problemStatuses(operation, resource).filter((status) => ownProblems.includes(status))]
      // A creation that declares no conflicts answers 409 only to repeats; the tests of `once` cover these.
      .filter((status) => status !== 409 || operation.conflicts !== undefined)
      .map((status) => outcomeOf(operation, status))
      .filter((outcome) => !recorded.has(outcome) && !impossible.includes(outcome)),
  );

/** Recorded conflicts that contracts do not declare. */
export const undeclaredConflicts = (recorded: ReadonlySet<Outcome>): Outcome[] =>
  publicOperations()
    .filter(({ operation }) => operation.conflicts === undefined && !isCreation(operation))
    .map(({ operation }) => outcomeOf(operation, 409))
    .filter((outcome) => recorded.has(outcome) && !ofStandIns.includes(outcome));

/** Operations that the gateway forwards; it answers streams itself. */
const publicOperations = (): { operation: Operation; resource: Resource }[] =>
  resources.flatMap((resource) =>
    Object.values<Operation>(resource.operations)
      .filter(({ http, produces }) => http !== undefined && produces === undefined)
      .map((operation) => ({ operation, resource })),
  );
