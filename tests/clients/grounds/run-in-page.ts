import { createContext, Script } from 'node:vm';
import { rolldown } from 'rolldown';

/** The globals of a page; those of Node alone are missing. */
const globalsOfPages = {
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  crypto,
  fetch,
  performance,
  // oxlint-disable-next-line no-restricted-globals -- a page has no other timer
  setTimeout,
};

/** Bundles a module for browsers and loads it where only the globals of a page exist; returns its exports. */
export async function runInPage(input: string): Promise<Record<string, (...given: never[]) => Promise<unknown>>> {
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'page' });
  await bundle.close();
  const page = createContext({ ...globalsOfPages });
  new Script(`${output[0].code}\nglobalThis.page = page;`).runInContext(page);
  return page['page'];
}
