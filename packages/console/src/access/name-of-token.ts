/** Tokens that programs made may have no name. */
export const nameOfToken = ({ id, name }: { id: string; name: string | null }): string => name ?? id.slice(0, 8);
