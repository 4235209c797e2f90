import type { StateWord } from '../ui/state.tsx';

/** Whether a chart can be deployed. */
export function chartState({ available, has_error }: { available: boolean; has_error: boolean }): StateWord {
  if (!available) return { tone: 'off', word: 'Gone' };
  return has_error ? { tone: 'bad', word: 'Has an error' } : { tone: 'ok', word: 'Sound' };
}
