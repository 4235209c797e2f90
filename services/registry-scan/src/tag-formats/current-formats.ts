import type { Queries } from '@berth/db/database';
import { type CompiledFormat, compileFormats } from './parsed-tag.ts';
import { createTagFormatRepository } from './tag-format-repository.ts';

export interface CurrentFormats {
  revision: number;
  formats: readonly CompiledFormat[];
}

/** Returns the current formats, compiled once per change. */
export function createCurrentFormats(): (queries: Queries) => Promise<CurrentFormats> {
  let known: CurrentFormats | undefined;
  return async (queries) => {
    const repository = createTagFormatRepository(queries);
    const revision = await repository.revision();
    if (known?.revision !== revision) known = { revision, formats: compileFormats(await repository.newestFirst()) };
    return known;
  };
}
