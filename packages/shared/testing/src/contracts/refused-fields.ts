import type { Operation } from '@berth/contracts/definition/contract';
import { fieldErrors } from '@berth/contracts/fields/field-errors';
import { resources } from '@berth/contracts/resources/index';
import { UntestableContract } from './untestable-contract.ts';

export const operations = resources.flatMap((resource) => Object.values<Operation>(resource.operations));

export function operationNamed(name: string): Operation {
  const found = operations.find((operation) => `${operation.resource}.${operation.name}` === name);
  if (!found) throw new UntestableContract(`no operation ${name}`);
  return found;
}

/** The invalid fields of a request, with their rules; empty if it is valid. */
export function refused(name: string, request: object): string[] {
  const { error } = operationNamed(name).request.safeParse(request);
  return error ? fieldErrors(error).map(({ path, message }) => `${path}: ${message}`) : [];
}
