/** About what one more Helm takes, in bytes. */
export const memoryForHelm = 192 * 1024 * 1024;
