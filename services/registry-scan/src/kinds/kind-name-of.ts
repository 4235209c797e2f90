import { startOf } from '@berth/contracts/cut-text';

const longest = 100;

/** Derives a kind from the name of a repository: `charts/two-words-charts` → `TwoWords`. */
export function kindNameOf(repository: string): string {
  const [last = repository] = repository.split('/').slice(-1);
  // Names of namespaces begin with the kind, and Kubernetes does not allow underscores in them.
  const words = last.split(/[-_]+/);
  const tail = words.at(-1)?.toLowerCase();
  if (words.length > 1 && (tail === 'chart' || tail === 'charts')) words.pop();
  return startOf(words.map(titleCased).join(''), longest);
}

const titleCased = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
