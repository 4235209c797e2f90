/** The name of a token. Those that programs issued may have none. */
export const nameOfToken = ({ id, name }: { id: string; name: string | null }): string => name ?? id.slice(0, 8);
