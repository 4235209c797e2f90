const chartName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;
/** Semantic versions with build metadata, and what older charts use. */
const version = /^[A-Za-z0-9_][A-Za-z0-9._+~-]{0,127}$/;

export const isChartName = (name: string): boolean => chartName.test(name);
export const isVersion = (text: string): boolean => version.test(text);
