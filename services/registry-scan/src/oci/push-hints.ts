import type { PushHint } from '../connection/push-hint.ts';
import { isDigest, isRepositoryName, isTag } from './names.ts';

interface Named {
  host?: string | null;
  repository: string;
  tag?: string | null | undefined;
  digest?: string | null | undefined;
}

/** A hint to read a tag; none if its names break their grammar. */
export function pushed({ host = null, repository, tag, digest }: Named): PushHint[] {
  if (!isRepositoryName(repository) || !tag || !isTag(tag)) return [];
  return [{ host, repository, tag, digest: digest && isDigest(digest) ? digest : null }];
}

/** A hint to scan a repository in which something was deleted. */
export const deleted = ({ host = null, repository }: Named): PushHint[] =>
  isRepositoryName(repository) ? [{ host, repository, tag: null, digest: null }] : [];
