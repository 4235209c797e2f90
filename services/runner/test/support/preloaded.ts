/** A runner that loads this code before its own, with a small heap. */
export const preloaded = (code: string) => ({
  NODE_OPTIONS: `--max-old-space-size=128 --import=data:text/javascript,${encodeURIComponent(code)}`,
});

/** Logs when the runner sent SIGTERM to a process group, by the clock of the machine. */
export const notesSigterm = `
  const { kill } = process;
  process.kill = (pid, signal) => {
    if (signal === 'SIGTERM') console.log('SIGTERM to ' + -pid + ' at ' + Date.now());
    return kill.call(process, pid, signal);
  };`;

export const sigtermAt = (log: string, pid: number): number | undefined => {
  const [, at] = new RegExp(`^SIGTERM to ${pid} at (\\d+)$`, 'm').exec(log) ?? [];
  return at === undefined ? undefined : Number(at);
};
