const share = Number(process.env['BENCH_SHARE'] ?? 1);

/** The number of rows, or a part of it in a short run that only checks that a measurement works. */
export const scaled = (count: number): number => Math.max(1, Math.round(count * share));
