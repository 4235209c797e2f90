import type { StateWord } from '../ui/state.tsx';

interface Facts {
  is_ok: boolean;
  ignore: boolean;
}

/** The one word for a cluster. One that is ignored is asked nothing, whatever its last answer was. */
export function clusterState({ is_ok, ignore }: Facts): StateWord {
  if (ignore) return { tone: 'off', word: 'Ignored' };
  return is_ok ? { tone: 'ok', word: 'Reachable' } : { tone: 'bad', word: 'Unreachable' };
}
