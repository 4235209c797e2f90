/** Says that a request waits, unless another one that still waits has said so. */
export function createSayOnce(say: (line: string) => void, now = () => performance.now()) {
  let saidUntil = 0;
  return (line: string, waitMs: number): void => {
    if (now() < saidUntil) return;
    saidUntil = now() + waitMs;
    say(line);
  };
}
