import { exactTime } from '../../ui/age.tsx';

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const ids = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** A reason for people: times are in their zone, and ids are short. */
export const readable = (reason: string, timeWords: (time: string) => string = exactTime): string =>
  reason.replaceAll(times, timeWords).replaceAll(ids, '$1');
