export interface Ran {
  /** As a shell says it: 130 for a process that Ctrl-C has ended. */
  code: number | null;
  out: string;
  err: string;
}
