import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { gatherBytes } from '@berth/contracts/gather-bytes';
import type { CustomFetch } from 'openid-client';

const maxBytes = 1024 * 1024;

/** Answers of a provider are small; an endless body would fill the memory. */
export const boundedFetch: CustomFetch = async (url, { method, headers, body, redirect, signal }) => {
  const request = { method, headers, redirect, ...(body !== undefined && { body }), ...(signal && { signal }) };
  const response = await fetch(url, request);
  const bytes = response.body === null ? null : await readAll(response.body);
  if (bytes !== null && isJson(response.headers)) refuseBrokenJson(bytes);
  return new Response(bytes, response);
};

const isJson = (headers: Headers): boolean => /^application\/([\w.]+\+)?json\b/.test(headers.get('content-type') ?? '');

/** Distinguishes this failure of the provider from an ID token that cannot be parsed, which refuses the login. */
function refuseBrokenJson(bytes: Uint8Array): void {
  if (parsedBoundedJson(bytes) !== undefined) return;
  throw new TypeError('The identity provider sent an answer that is not JSON, or has too many members');
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = gatherBytes(maxBytes);
  for await (const chunk of body) {
    if (!bytes.add(chunk)) throw new TypeError(`The identity provider sent more than ${maxBytes} bytes`);
  }
  return bytes.take();
}
