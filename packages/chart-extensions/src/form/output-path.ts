import { z } from 'zod';
import { isForbiddenKey } from '@berth/contracts/fields/json';

/** More cells than real charts need; without a limit, `[999999999]` would fill the memory. */
export const maxCells = 1024;

/** A step of an output path: a key of an object or a cell of a list (`[3]`; `[+]` adds a cell; `[=]` is the last cell). */
export type PathPart = { key: string } | { cell: number | 'append' | 'last' };

/** Undefined if the brackets contain anything else. */
export function pathPart(text: string): PathPart | undefined {
  const content = /^\[(.*)\]$/s.exec(text)?.[1];
  if (content === undefined) return { key: text };
  if (content === '+') return { cell: 'append' };
  if (content === '=') return { cell: 'last' };
  return /^\d{1,4}$/.test(content) && Number(content) < maxCells ? { cell: Number(content) } : undefined;
}

function ruleBroken(text: string, index: number): string | undefined {
  const part = pathPart(text);
  if (!part) return `must be [+], [=] or a number below ${maxCells} in brackets`;
  if ('cell' in part) return index === 0 ? 'must be a key: values are an object' : undefined;
  return isForbiddenKey(part.key) || part.key === 'prototype' ? 'is not a possible key' : undefined;
}

/** The position of an output in the values. */
export const OutputPath = z
  .array(z.string().min(1, 'must not be empty').max(253))
  .min(1, 'must not be empty')
  .max(32)
  .superRefine((path, context) => {
    for (const [index, text] of path.entries()) {
      const message = ruleBroken(text, index);
      if (message) context.addIssue({ code: 'custom', path: [index], message });
    }
  });
export type OutputPath = z.infer<typeof OutputPath>;
