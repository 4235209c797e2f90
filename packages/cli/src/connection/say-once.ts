/** Reports that a request waits, unless another waiting request has reported it. */
export function createSayOnce(say: (line: string) => void, now = () => performance.now()) {
  let saidUntil = 0;
  return (line: string, waitMs: number): void => {
    if (now() < saidUntil) return;
    saidUntil = now() + waitMs;
    say(line);
  };
}
