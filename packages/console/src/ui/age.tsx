import { useSyncExternalStore } from 'react';

const everyMs = 5_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all ages on a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time in ms, accurate to a few seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A duration in its largest whole unit: `14 min`. */
export function spanOf(ms: number): string {
  const [unit, size] = units.find(([, unitMs]) => ms >= unitMs) ?? units[3];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A time in the zone of the viewer, to the second. */
export const exactTime = (time: string): string => exact.format(new Date(time));

/** How long ago a time was. A time in the future means that a clock is wrong, and counts as now. */
export const ageWords = (ms: number): string => (ms < everyMs ? 'now' : spanOf(ms));

/** The same as part of a sentence: `14 min ago`. */
export const agoWords = (ms: number): string => (ms < everyMs ? 'just now' : `${spanOf(ms)} ago`);

/** How long ago a time was, or how long it is until then. */
export const whenWords = (ms: number): string => (ms <= -everyMs ? `in ${spanOf(-ms)}` : ageWords(ms));

interface TimeProps {
  time: string;
}

/** How long ago something was; the exact time on hover. */
export const Age = ({ time }: TimeProps) => <Span time={time} words={ageWords} />;

/** The same as part of a sentence: it was deployed `14 min ago`. */
export const Ago = ({ time }: TimeProps) => <Span time={time} words={agoWords} />;

/** How long ago something was, or how long it is until then; the exact time on hover. */
export const When = ({ time }: TimeProps) => <Span time={time} words={whenWords} />;

function Span({ time, words }: TimeProps & { words: (ms: number) => string }) {
  const ms = Math.max(useNow(), now) - Date.parse(time);
  return (
    <time dateTime={time} title={exactTime(time)}>
      {words(ms)}
    </time>
  );
}
