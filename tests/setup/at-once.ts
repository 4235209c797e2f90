/** Test files, and among them those with a whole platform of their own, that run side by side. */
export const atOnce = { files: 3, platforms: 2 };
