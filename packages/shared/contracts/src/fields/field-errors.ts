import type { z } from 'zod';
import { cutText } from '../cut-text.ts';
import { AppError, type FieldError, firstErrors } from '../errors.ts';

type Issue = z.core.$ZodIssue;

/** Longer than the path of any field of a contract. A key of a config may be as long as the body. */
const longestKey = 200;

/** `body.config.hosts[2]` */
export const pathOf = (parts: readonly PropertyKey[]): string =>
  parts.reduce<string>((path, part) => {
    if (typeof part === 'number') return `${path}[${part}]`;
    const key = cutText(String(part), longestKey);
    return path === '' ? key : `${path}.${key}`;
  }, '');

const mostErrors = 50;

/** One entry per field that breaks a rule; unknown fields are named one by one. At most 50. */
export const fieldErrors = (error: { issues: readonly Issue[] }): FieldError[] =>
  firstErrors(brokenRules(error).map(({ parts, message }) => ({ path: pathOf(parts), message })));

export interface BrokenRule {
  /** Where in the value. */
  parts: readonly PropertyKey[];
  message: string;
}

/** The rules that a value breaks, before their paths are put into words. */
export const brokenRules = ({ issues }: { issues: readonly Issue[] }): BrokenRule[] =>
  // A body has room for ten thousand unknown fields.
  issues.slice(0, mostErrors).flatMap(rulesOf);

function rulesOf(issue: Issue): BrokenRule[] {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, mostErrors);
    return keys.map((key) => ({ parts: [...issue.path, key], message: 'is not known here' }));
  }
  const message = issue.message.endsWith('received undefined') ? 'is required' : issue.message;
  return [{ parts: issue.path, message }];
}

/** The validation error that is answered with 400 and names every field and rule. */
export function invalidRequest(error: { issues: readonly Issue[] }): AppError {
  const errors = fieldErrors(error);
  const [first] = errors;
  const detail = first ? `${first.path || 'request'}: ${first.message}` : 'The request is invalid';
  return new AppError('invalid', detail, { errors });
}
