import { ServerFailed } from '../servers/server-failed.ts';
import type { RunningServer } from '../servers/server-process.ts';

/** One server or service of the stack, by name. Tests of faults end it and start it again on the same state. */
export interface Part {
  readonly name: string;
  readonly pid: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it like a crash, without reporting it. */
  kill(): Promise<void>;
}

export interface PartStart<S extends RunningServer> {
  name: string;
  start: () => Promise<S>;
  /** Called if it ends unexpectedly. */
  onDeath: (error: Error) => void;
}

export function createPart<S extends RunningServer>({ name, start, onDeath }: PartStart<S>): Part & { server(): S } {
  let running: S | undefined;
  let expected = false;

  const server = (): S => {
    if (!running) throw new ServerFailed(`${name} is not running`);
    return running;
  };

  return {
    name,
    server,
    get pid() {
      return server().pid;
    },
    async start() {
      expected = false;
      const started = await start();
      running = started;
      void started.died.then((error) => {
        if (!expected && running === started) onDeath(error);
      });
    },
    async stop() {
      expected = true;
      await running?.stop();
      running = undefined;
    },
    async kill() {
      expected = true;
      await server().kill();
      running = undefined;
    },
  };
}
