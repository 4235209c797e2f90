/** The envs whose rows a caller may see. */
export type Visible = 'all' | readonly string[];
