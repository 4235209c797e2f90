/**
 * What Kubernetes takes as the name of most objects and as the domain of a label key, without its limit of 253 characters. Dashes
 * and dots stand between other characters only, and none of them matches in two ways: a long text takes no longer.
 */
export const dnsSubdomain = '[a-z0-9]+(?:-+[a-z0-9]+)*(?:\\.[a-z0-9]+(?:-+[a-z0-9]+)*)*';
