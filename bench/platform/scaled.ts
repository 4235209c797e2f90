const share = Number(process.env['BENCH_SHARE'] ?? 1);

/** So many rows, or less of them for a short run that only shows that a measurement comes to its end. */
export const scaled = (count: number): number => Math.max(1, Math.round(count * share));
