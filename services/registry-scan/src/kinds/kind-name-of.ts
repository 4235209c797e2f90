import { startOf } from '@berth/shared/cut-text';

const longest = 100;

/** `charts/two-words-charts` → `TwoWords`: what the packagers call a repository says what is in it. */
export function kindNameOf(repository: string): string {
  const [last = repository] = repository.split('/').slice(-1);
  // Namespaces begin with the name of a kind, and none can have an underscore in it.
  const words = last.split(/[-_]+/);
  const tail = words.at(-1)?.toLowerCase();
  if (words.length > 1 && (tail === 'chart' || tail === 'charts')) words.pop();
  return startOf(words.map(titleCased).join(''), longest);
}

const titleCased = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
