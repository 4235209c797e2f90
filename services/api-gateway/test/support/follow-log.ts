import { expect } from 'vitest';
import type { TestGateway } from './start-test-gateway.ts';

export interface FollowedLog {
  disconnect(): void;
  /** The text received so far. */
  text(): string;
  /** The whole text once the stream has ended; rejects if the stream is cut off. */
  readonly done: Promise<string>;
}

/** Follows the log at this path as one of `sampleIdentities`. */
export async function followLog(gateway: TestGateway, path: string, token: string): Promise<FollowedLog> {
  const reader = new AbortController();
  const headers = { 'x-service-token': token };
  const response = await gateway.get(`${path}?follow=true`, { headers, signal: reader.signal });
  expect(response.status).toBe(200);
  let text = '';
  const done = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return text;
  })();
  done.catch(() => undefined);
  return { disconnect: () => reader.abort(), text: () => text, done };
}
