/**
 * How many test files run in parallel, and how many of these may have a platform of their own. Most spend their time waiting: for
 * leases, pauses and starting servers.
 */
export const atOnce = { files: 4, platforms: 2 };
