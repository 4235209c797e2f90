/** Whether `version` is a release with `from` ≤ version < `below`. Pre-releases are not; a vendor's suffix is allowed. */
export function isInRange(version: string, { from, below }: { from: string; below: string }): boolean {
  const parts = numbersOf(version);
  if (!parts || /-(alpha|beta|rc|dev|pre)/i.test(version)) return false;
  return compare(parts, numbersOf(from) ?? []) >= 0 && compare(parts, numbersOf(below) ?? []) < 0;
}

const numbersOf = (version: string) => /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);

function compare(left: number[], right: number[]): number {
  for (const [index, part] of left.entries()) {
    const difference = part - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
