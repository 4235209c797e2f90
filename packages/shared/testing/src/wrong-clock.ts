/** Environment of a Node process on a host with a wrong clock: `Date` is off by this many ms, timers are not. */
export const wrongClock = (offByMs: number): { NODE_OPTIONS: string } => {
  const script = `const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...given) { given.length === 0 ? super(Right.now() + ${offByMs}) : super(...given); }
      static now() { return Right.now() + ${offByMs}; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};
