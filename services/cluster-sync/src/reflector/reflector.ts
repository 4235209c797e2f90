import type { KubeApi } from '@berth/kube/kube-api';
import { AnswerTooLarge, isExpired, KubeError } from '@berth/kube/kube-error';
import type { InTurn, Slot } from '@berth/service/waiting/at-most';
import type { Service } from '@berth/service/service';
import { type CpuShare, cpuShare } from '../kube/cpu-share.ts';
import { type ListedPage, listPages } from '../kube/list-pages.ts';
import { type WatchEvent, watchEvents } from '../kube/watch-events.ts';
import { initialState, nextStep, type Outcome, type ReflectorState, watchSeconds } from './next-step.ts';
import { retryAfterOf } from './retry-after.ts';
import { pause } from '@berth/service/waiting/pause';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';

/** Receives objects. A call may wait, and the reflector reads no further until it returns. */
export interface ReflectorSink {
  beginPass(namespace?: string): { add(object: unknown, signal: AbortSignal): Promise<void>; end(): void };
  put(object: unknown, signal: AbortSignal): Promise<void>;
  remove(object: unknown, signal: AbortSignal): Promise<void>;
}

export interface ReflectorDeps {
  readonly api: KubeApi;
  /** The path of the whole list, and of the list of one namespace. */
  readonly path: string;
  pathIn(namespace: string): string;
  readonly sink: ReflectorSink;
  /** Shared by the lists of all clusters: pages are large, and many at once would fill the memory. */
  readonly listInTurn: InTurn;
  readonly log: Service['log'];
  readonly resyncMs: number;
  /** A stream without an event or bookmark for this long is dead, even if its socket is open. */
  readonly stallMs: number;
  /** The share of the cluster in the event loop, for all its reflectors. */
  readonly cpu?: CpuShare;
  /** Called after each step, with words if the cluster's answers exceed the limits. */
  onExcess?(reason: string | null): void;
  /** Called when a watch is open, and when it or a list fails: the known state may then be stale. */
  onCurrent?(isCurrent: boolean): void;
  /** From 0 to 1; by default `Math.random`. */
  random?(): number;
}

export interface Reflector {
  /** Lists a namespace that became tracked during the watch, before the watch continues. */
  include(namespace: string): void;
  /** Runs until the signal aborts; `onListed` is called after each full list. Failures are retried. */
  run(signal: AbortSignal, onListed?: () => void): Promise<void>;
}

/** Keeps a sink up to date with one kind of object: lists, watches and repeats, as `nextStep` decides. */
export function createReflector(deps: ReflectorDeps): Reflector {
  const { api, path, sink, listInTurn, log, resyncMs, stallMs, cpu = cpuShare(), random = Math.random } = deps;
  const included = new Set<string>();
  let interrupt = new AbortController();

  async function list(slot: Slot, signal: AbortSignal): Promise<Outcome> {
    const pass = sink.beginPass();
    let resourceVersion = '';
    for await (const page of listPages(api, path, { signal, slot, cpu })) {
      await addAll(pass, page, signal);
      resourceVersion = page.resourceVersion;
    }
    pass.end();
    return { kind: 'listed', resourceVersion };
  }

  async function include(slot: Slot, signal: AbortSignal): Promise<Outcome> {
    interrupt = new AbortController();
    for (const namespace of included) {
      const pass = sink.beginPass(namespace);
      for await (const page of listPages(api, deps.pathIn(namespace), { signal, slot, cpu })) {
        await addAll(pass, page, signal);
      }
      pass.end();
      included.delete(namespace);
    }
    return { kind: 'included' };
  }

  async function addAll(
    pass: ReturnType<ReflectorSink['beginPass']>,
    { items, left }: ListedPage,
    signal: AbortSignal,
  ) {
    for await (const item of items) await consume(() => pass.add(item, signal), signal);
    if (left > 0) log.warn({ objects: left }, 'objects of the cluster are too large and are not tracked');
  }

  async function watch(state: ReflectorState, from: string, signal: AbortSignal): Promise<Outcome> {
    let resourceVersion = from;
    const silence = new AbortController();
    const end = AbortSignal.any([signal, interrupt.signal, silence.signal]);
    const seconds = watchSeconds(state, { now: performance.now(), random: random(), resyncMs });
    const listen = () => setTimeout(() => silence.abort(), stallMs);
    let timer = listen();
    let isLogged = false;
    const onOpen = () => deps.onCurrent?.(true);
    try {
      for await (const event of watchEvents(api, path, { resourceVersion, seconds, signal: end, cpu, onOpen })) {
        clearTimeout(timer);
        if (event) await consume(() => apply(event, signal), signal);
        else if (!isLogged) log.warn('a line of the watch is malformed or too large');
        isLogged ||= event === null;
        resourceVersion = event?.resourceVersion ?? resourceVersion;
        timer = listen();
      }
      return { kind: 'ended', resourceVersion };
    } catch (error) {
      if (signal.aborted) throw error;
      if (interrupt.signal.aborted) return { kind: 'interrupted', resourceVersion };
      if (silence.signal.aborted) return { kind: 'silent', resourceVersion };
      return failure(error, resourceVersion);
    } finally {
      clearTimeout(timer);
    }
  }

  async function apply({ type, object }: WatchEvent, signal: AbortSignal): Promise<void> {
    if (type === 'BOOKMARK') return;
    await (type === 'DELETED' ? sink.remove(object, signal) : sink.put(object, signal));
  }

  /** An object that cannot be processed is logged and skipped: a repeated request would return it again. */
  async function consume(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) throw error;
      log.error({ err: error }, 'processing an object of the cluster failed');
    }
  }

  async function run(state: ReflectorState, signal: AbortSignal) {
    const { step, resourceVersion } = state;
    const since = async (work: () => Promise<Outcome>) => ({ startedAt: performance.now(), outcome: await work() });
    if (step === 'watch' && resourceVersion !== null) return since(() => watch(state, resourceVersion, signal));
    return listInTurn((slot) => since(() => readLists(state, slot, signal)));
  }

  async function readLists({ step, resourceVersion }: ReflectorState, slot: Slot, signal: AbortSignal) {
    try {
      return await (step === 'include' ? include(slot, signal) : list(slot, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      return failure(error, resourceVersion);
    }
  }

  function failure(error: unknown, resourceVersion: string | null): Outcome {
    if (isExpired(error)) return { kind: 'expired' };
    return { kind: 'failed', resourceVersion, retryAfterMs: retryAfterOf(error), error };
  }

  return {
    include(namespace) {
      included.add(namespace);
      interrupt.abort();
    },

    async run(signal, onListed) {
      let state = initialState;
      while (!signal.aborted) {
        await pause(state.pauseMs, signal);
        const done = await run(state, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (!done) return;

        const { startedAt, outcome } = done;
        if (outcome.kind === 'listed') onListed?.();
        deps.onExcess?.(excessOf(outcome));
        if (isBehind(outcome)) deps.onCurrent?.(false);
        if (isRefused(outcome)) deps.onCurrent?.(true);
        const next = nextStep(state, outcome, { startedAt, now: performance.now(), random: random(), resyncMs });
        report(state, next, outcome);
        state = next;
      }
    },
  };

  function excessOf(outcome: Outcome): string | null {
    return outcome.kind === 'failed' && isExcess(outcome.error)
      ? describeClusterFailure(outcome.error, api.server)
      : null;
  }

  /** Logs the first failure and the recovery, not every attempt. */
  function report(before: ReflectorState, after: ReflectorState, outcome: Outcome): void {
    if (outcome.kind === 'failed' && before.backoffMs === 0) {
      const { error } = outcome;
      const isServerFailure =
        error instanceof KubeError || isExcess(error) || (error instanceof Error && 'code' in error);
      const why = isServerFailure ? { reason: describeClusterFailure(error, api.server) } : { err: error };
      log.warn({ ...why, step: before.step }, 'a watch fails');
    }
    if (before.backoffMs > 0 && after.backoffMs === 0) log.info('a watch has recovered');
  }
}

/** A kind that the account may not read, or that the cluster does not have, has nothing to catch up with. */
const isRefused = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && outcome.error instanceof KubeError && [403, 404].includes(outcome.error.status);

const isBehind = (outcome: Outcome): boolean =>
  outcome.kind === 'expired' || outcome.kind === 'silent' || (outcome.kind === 'failed' && !isRefused(outcome));

const isExcess = (error: unknown): error is AnswerTooLarge => error instanceof AnswerTooLarge;
