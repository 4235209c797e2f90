/**
 * Test files, and among them those with a whole platform of their own, that run side by side. Most of them wait for most of
 * their time: for leases, pauses and servers that start.
 */
export const atOnce = { files: 4, platforms: 2 };
