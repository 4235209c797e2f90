/** A packaged chart in a registry. */
export interface ChartPackage {
  digest: string;
  /** Null if the registry does not say it. */
  size: number | null;
  /** Where to fetch it, if that does not follow from repository and digest. */
  url: string | null;
}

/** What a tag points to; `package` is null if it is not a chart. */
interface TaggedManifest {
  digest: string;
  package: ChartPackage | null;
}

/** A tag in a list; `digest` is null if the list does not say it. */
export interface ListedTag {
  tag: string;
  digest: string | null;
}

/** How a round ended, which decides what the next one may skip. */
interface RoundEnd {
  /** Everything that changed was recorded. */
  isComplete: boolean;
  /** When some results have to be read again although nothing changed; infinite if none has to. */
  readAgainAfterMs: number;
}

/** Reads one registry. `null` always means that the registry itself reported something as missing. */
export interface RegistryClient extends Disposable {
  /** One request lists everything, so that a repository costs none. */
  readonly listsAllAtOnce: boolean;
  /** The repositories, or those of `only`; or that nothing in the registry has changed since the last complete round. */
  repositories(only: readonly string[] | undefined, signal: AbortSignal): Promise<readonly string[] | 'unchanged'>;
  tags(repository: string, signal: AbortSignal): Promise<ListedTag[] | null>;
  manifest(repository: string, tag: string, signal: AbortSignal): Promise<TaggedManifest | null>;
  /** Checks, as cheaply as the registry allows, whether the tag still has this digest. */
  stillHas(repository: string, tag: string, digest: string, signal: AbortSignal): Promise<boolean>;
  /** The bytes of a package as received; they are not verified yet. */
  fetch(
    repository: string,
    chart: Pick<ChartPackage, 'digest' | 'url'>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer | null>;
  /** Called after each round; frees what was kept for it. */
  endRound?(end: RoundEnd): void;
}
