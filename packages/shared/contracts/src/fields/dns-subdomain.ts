/**
 * A DNS subdomain (RFC 1123) without its limit of 253 characters. Kubernetes requires one as the name of most objects and as the
 * domain of a label key. No character can match in two ways, so matching takes linear time.
 */
export const dnsSubdomain = '[a-z0-9]+(?:-+[a-z0-9]+)*(?:\\.[a-z0-9]+(?:-+[a-z0-9]+)*)*';
