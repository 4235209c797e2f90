export interface GatheredBytes {
  /** Adds a chunk, as far as the limit allows; false if it exceeds the limit. */
  add(chunk: Uint8Array): boolean;
  /** All bytes so far, in a buffer of their own. To be called once. */
  take(): Uint8Array<ArrayBuffer>;
}

const firstSize = 16 * 1024;

/**
 * Gathers a body in one growing buffer. If a body is sent byte by byte, a list of its chunks would take a hundred times its
 * memory.
 */
export function gatherBytes(most: number): GatheredBytes {
  let buffer = new ArrayBuffer(Math.min(firstSize, most));
  let size = 0;

  return {
    add(chunk) {
      const taken = Math.min(chunk.length, most - size);
      const needed = size + taken;
      if (needed > buffer.byteLength) buffer = buffer.transfer(Math.min(most, Math.max(needed, 2 * buffer.byteLength)));
      new Uint8Array(buffer).set(taken === chunk.length ? chunk : chunk.subarray(0, taken), size);
      size = needed;
      return taken === chunk.length;
    },

    take: () => new Uint8Array(buffer.transfer(size)),
  };
}
