import { expect } from 'vitest';
import { z } from 'zod';

const Problem = z.strictObject({
  type: z.string().startsWith('urn:berth:error:'),
  title: z.string().min(3),
  status: z.number().int(),
  detail: z.string(),
  message: z.string(),
  code: z.string().regex(/^[a-z_]+$/),
  request_id: z.string().min(1),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
type Problem = z.infer<typeof Problem>;

/** Parses a response as a problem and checks its headers. */
export async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const problem = Problem.parse(await response.json());
  expect(problem.status).toBe(response.status);
  expect(problem.message).toBe(problem.detail);
  expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  if (response.status === 401) expect(response.headers.get('www-authenticate')).toContain('Bearer');
  if (response.status === 503) expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  return problem;
}

/** The same for a raw HTTP response. */
export function rawProblemOf(answer: string): Problem {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toContain('application/problem+json');
  const problem = Problem.parse(JSON.parse(body));
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${problem.status} `));
  expect(head).toContain(`x-request-id: ${problem.request_id}`);
  return problem;
}
