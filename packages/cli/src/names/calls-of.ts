import type { Answer, CallOptions, Client, Page } from '@berth/client';
import type { Kind, Row } from './kinds.ts';

interface Calls {
  list(request: { query: Record<string, unknown> }): Promise<Answer<Page<Row>>>;
  get(request: { id: string }, options?: CallOptions): Promise<Answer<Row>>;
  create?(request: { body: object }): Promise<Answer<Row>>;
  update?(request: { id: string; body: object }, options?: CallOptions): Promise<Answer<Row>>;
  delete?(request: { id: string }, options?: CallOptions): Promise<Answer<unknown>>;
}

/** The calls that most kinds have. */
export const callsOf = (client: Client, { resource }: Pick<Kind, 'resource'>): Calls =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- which resource a user names is known only at run time
  client[resource] as unknown as Calls;
