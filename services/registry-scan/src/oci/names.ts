// Grammar and lengths of the distribution specification. A name that does not match is never put into a URL.
const repository = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const tag = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const digest = /^sha256:[0-9a-f]{64}$/;

export const isRepositoryName = (name: string): boolean => name.length <= 255 && repository.test(name);
export const isTag = (name: string): boolean => tag.test(name);
export const isDigest = (name: string): boolean => digest.test(name);
