/** Roughly what one more Helm needs, in bytes. */
export const memoryForHelm = 192 * 1024 * 1024;
