const mebibyte = 1024 * 1024;

/** Limits of a packaged chart. Helm's own are 100 MiB unpacked and 5 MiB for a file. */
export const archiveLimits = {
  compressedBytes: 20 * mebibyte,
  unpackedBytes: 64 * mebibyte,
  entries: 10_000,
  fileBytes: 5 * mebibyte,
  pathBytes: 1024,
  /** For a file that is parsed. */
  readBytes: mebibyte,
} as const;
