import type { Scheduler, Steps } from './scheduler.ts';

/** A process or machine that can pause: by SIGSTOP, or because its host pauses the virtual machine. */
export interface Gate {
  /** Runs the work now, or when the pause ends. */
  pass(work: () => void): void;
}

interface Pausable extends Gate {
  pause(): void;
  resume(): void;
}

function createGate(outer?: Gate): Pausable {
  let isPaused = false;
  let waiting: (() => void)[] = [];
  const pass = (work: () => void): void => {
    if (isPaused) waiting.push(work);
    else work();
  };
  return {
    pass: (work) => (outer ? outer.pass(() => pass(work)) : pass(work)),
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      const queue = waiting;
      waiting = [];
      for (const work of queue) pass(work);
    },
  };
}

/** A machine whose clock stops while the host pauses it. */
export interface Machine extends Gate {
  clock(): number;
  freeze(): void;
  thaw(): void;
  readonly isFrozen: boolean;
}

export function createMachine({ now }: Pick<Scheduler, 'now'>, { offset, rate }: { offset: number; rate: number }) {
  const gate = createGate();
  let frozenAt: number | null = null;
  let lost = 0;
  const machine: Machine = {
    pass: gate.pass,
    clock: () => offset + ((frozenAt ?? now()) - lost) * rate,
    freeze: () => {
      frozenAt ??= now();
      gate.pause();
    },
    thaw: () => {
      if (frozenAt === null) return;
      lost += now() - frozenAt;
      frozenAt = null;
      gate.resume();
    },
    get isFrozen() {
      return frozenAt !== null;
    },
  };
  return machine;
}

export interface Process extends Gate {
  readonly isAlive: boolean;
  /** Runs the steps while the process is awake; stops once it is killed. */
  spawn(steps: Steps<unknown>): void;
  pause(): void;
  resume(): void;
  /** Ends it without any cleanup. */
  kill(): void;
  onKilled(listener: () => void): void;
}

/** `beforeStep` injects faults between any two steps. */
export function createProcess(machine: Gate, beforeStep: (process: Process) => void): Process {
  const gate = createGate(machine);
  const listeners: (() => void)[] = [];
  let isAlive = true;
  const pass = (work: () => void): void =>
    gate.pass(() => {
      if (isAlive) work();
    });

  const process: Process = {
    get isAlive() {
      return isAlive;
    },
    pass,
    pause: gate.pause,
    resume: gate.resume,
    spawn(steps) {
      const advance = (): void => {
        const next = steps.next();
        if (!next.done) next.value(() => pass(step));
      };
      const step = (): void => {
        beforeStep(process);
        pass(advance);
      };
      pass(advance);
    },
    kill: () => {
      if (!isAlive) return;
      isAlive = false;
      for (const listener of listeners) listener();
    },
    onKilled: (listener) => void listeners.push(listener),
  };
  return process;
}
