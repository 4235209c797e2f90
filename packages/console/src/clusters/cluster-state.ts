import type { StateWord } from '../ui/state.tsx';

interface Facts {
  is_ok: boolean;
  ignore: boolean;
}

/** The one word for a cluster. Berth asks nothing of an ignored one, so its last answer does not count. */
export function clusterState({ is_ok, ignore }: Facts): StateWord {
  if (ignore) return { tone: 'off', word: 'Ignored' };
  return is_ok ? { tone: 'ok', word: 'Reachable' } : { tone: 'bad', word: 'Unreachable' };
}
