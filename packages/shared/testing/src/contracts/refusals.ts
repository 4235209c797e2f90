import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import {
  hasPathId,
  type Operation,
  type OperationSpec,
  type RequestInput,
  type ServiceName,
} from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { UntestableContract } from './untestable-contract.ts';
import { AppError, type ErrorCode } from '@berth/contracts/errors';
import { sampleOf } from './sample-of.ts';

/** `outsider`: a user without any role. */
type RefusedCaller = 'nobody' | 'outsider' | 'siteAdmin';

interface Refusal {
  caller: RefusedCaller;
  request: object;
  code: ErrorCode;
}

export type Send = (
  caller: RefusedCaller,
  operation: Operation,
  request: RequestInput<OperationSpec>,
) => Promise<unknown>;

const outsider: Identity = { kind: 'user', id: randomUUID(), is_admin: false, env_roles: {}, deployment_roles: [] };

/** A well-formed request for a row that does not exist, if the operation has an id in its path. */
const wellFormed = ({ body, bodyOptional, ...spec }: OperationSpec): object => ({
  ...(hasPathId(spec) && { id: randomUUID() }),
  ...(body && !bodyOptional && { body: sampleOf(body) }),
});

/** Whether its contract refuses an outsider for every row. */
const isDeniedToOutsiders = ({ allow }: Operation, request: object): boolean =>
  allow.on === 'identity' && !allow.allows(outsider, request);

/** The refusals that follow from an operation's contract alone, for any rows. */
function refusalsOf(operation: Operation): Refusal[] {
  const { allow } = operation;
  const request = wellFormed(operation);
  const refusals: Refusal[] = [{ caller: 'siteAdmin', request: { ...request, unknown: 1 }, code: 'invalid' }];
  if (allow.on === 'identity' || allow.on === 'row')
    refusals.push({ caller: 'nobody', request, code: 'unauthenticated' });
  if (isDeniedToOutsiders(operation, request)) refusals.push({ caller: 'outsider', request, code: 'forbidden' });
  if (hasPathId(operation)) refusals.push({ caller: 'siteAdmin', request, code: 'not_found' });
  return refusals;
}

/**
 * Sends requests that the contract refuses to every public operation of a service: malformed, without a credential, from a caller
 * whom the rule excludes, and for a row that does not exist. Returns those that were answered otherwise.
 */
export async function answeredUnlikeContract(owner: ServiceName, send: Send): Promise<string[]> {
  const cases = publicOperationsOf(owner).flatMap((operation) =>
    refusalsOf(operation).map((refusal) => ({ operation, ...refusal })),
  );
  if (cases.length === 0) throw new UntestableContract(`${owner} has no operations to try`);

  const wrong: string[] = [];
  for (const { operation, caller, request, code } of cases) {
    const answer = await send(caller, operation, request as RequestInput<OperationSpec>).then(
      () => 'an answer',
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
    const name = `${operation.resource}.${operation.name}`;
    if (answer !== code) wrong.push(`${name} for ${caller}: ${answer} instead of ${code}`);
  }
  return wrong;
}

const publicOperationsOf = (owner: ServiceName): Operation[] =>
  resources
    .filter((resource) => resource.owner === owner)
    .flatMap((resource) => Object.values<Operation>(resource.operations))
    .filter(({ http }) => http !== undefined);

/** The operations on which `answeredUnlikeContract` causes a denied attempt, by their names in the audit log. */
export const deniedAttempts = (owner: ServiceName): { resource: string; action: string }[] =>
  publicOperationsOf(owner)
    .filter((operation) => isDeniedToOutsiders(operation, wellFormed(operation)))
    .map(({ resource, name }) => ({ resource, action: name }));
