import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type Encoding } from './accepted-encoding.ts';

export interface CompressOptions {
  /** Smaller answers are sent as they are; 0: all. */
  fromBytes: number;
  /** Answers that are compressed at the same time; more are sent as they are. */
  most?: number;
}

export type CompressList = (request: FastifyRequest, reply: FastifyReply, json: Uint8Array) => Promise<Uint8Array>;

// Levels with which a list takes less than a millisecond of a core; bench/README.md has what was measured.
const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const write: Record<Encoding, (json: Uint8Array) => Promise<Uint8Array>> = {
  br: (json) =>
    brotliAsync(json, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: json.length },
    }),
  gzip: (json) => gzipAsync(json, { level: 1 }),
};

/**
 * Compresses lists for clients that want it, on the threads of the process and never on its loop. Only lists: they have no
 * `ETag`, so each tag belongs to one sequence of bytes, and no list contains a secret whose length could be guessed from a size.
 */
export function compressLists({ fromBytes, most = 8 }: CompressOptions): CompressList {
  let underWay = 0;

  return async (request, reply, json) => {
    if (fromBytes === 0) return json;
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (encoding === null || json.length < fromBytes || underWay >= most) return json;

    underWay += 1;
    try {
      const compressed = await write[encoding](json);
      reply.header('content-encoding', encoding);
      return compressed;
    } finally {
      underWay -= 1;
    }
  };
}
