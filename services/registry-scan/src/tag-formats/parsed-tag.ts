import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import type { ChartMetadata } from '@berth/chart-archive/chart-metadata';
import { type TagParts, tagFormat, UnusablePattern } from '@berth/chart-archive/tag-format';

export interface CompiledFormat {
  id: string;
  match: (tag: string) => TagParts | null;
}

export type ParsedTag = Pick<
  HelmChart,
  'tag_format_id' | 'parsed_version' | 'parsed_revision' | 'parsed_branch' | 'parsed_commit'
>;

/** Compiles stored patterns. Omits those that an older engine accepted but this one refuses. */
export const compileFormats = (formats: readonly { id: string; pattern: string }[]): CompiledFormat[] =>
  formats.flatMap(({ id, pattern }) => {
    try {
      return [{ id, match: tagFormat(pattern) }];
    } catch (error) {
      if (error instanceof UnusablePattern) return [];
      throw error;
    }
  });

/** Uses the commit or branch in Chart.yaml if it has one, else the first format that matches the tag, newest first. */
export function parsedTag(tag: string, metadata: ChartMetadata | null, formats: readonly CompiledFormat[]): ParsedTag {
  if (metadata && (metadata.git_commit !== null || metadata.git_branch !== null)) {
    return {
      tag_format_id: null,
      parsed_version: metadata.version,
      parsed_revision: null,
      parsed_branch: metadata.git_branch,
      parsed_commit: metadata.git_commit,
    };
  }
  for (const { id, match } of formats) {
    const parts = match(tag);
    if (parts) {
      return {
        tag_format_id: id,
        parsed_version: parts.version,
        parsed_revision: parts.revision,
        parsed_branch: parts.branch,
        parsed_commit: parts.commit,
      };
    }
  }
  return {
    tag_format_id: null,
    parsed_version: metadata?.version ?? null,
    parsed_revision: null,
    parsed_branch: null,
    parsed_commit: null,
  };
}
