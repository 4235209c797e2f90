import type { z } from 'zod';
import { AppError, type FieldError } from '../errors.ts';

type Issue = z.core.$ZodIssue;

/** `body.config.hosts[2]` */
export const pathOf = (parts: readonly PropertyKey[]): string =>
  parts.reduce<string>((path, part) => {
    if (typeof part === 'number') return `${path}[${part}]`;
    return path === '' ? String(part) : `${path}.${String(part)}`;
  }, '');

/** One entry per field that breaks a rule; unknown fields are named one by one. At most 50: the first tell enough. */
export function fieldErrors({ issues }: { issues: readonly Issue[] }): FieldError[] {
  return issues.flatMap((issue) => errorsOf(issue, [])).slice(0, 50);
}

function errorsOf(issue: Issue, outer: readonly PropertyKey[]): FieldError[] {
  const path = [...outer, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathOf([...path, key]), message: 'is not known here' }));
  }
  const message = issue.message.endsWith('received undefined') ? 'is required' : issue.message;
  return [{ path: pathOf(path), message }];
}

/** The validation failure that leaves as 400, naming every field and rule. */
export function invalidRequest(error: { issues: readonly Issue[] }): AppError {
  const errors = fieldErrors(error);
  const [first] = errors;
  const detail = first ? `${first.path || 'request'}: ${first.message}` : 'The request is invalid';
  return new AppError('invalid', detail, { errors });
}
