/** Orders texts by their code units, the same on every machine. */
export const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
