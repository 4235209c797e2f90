const key = 'berth_theme';
const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const storedTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';

/** Shows a theme, and keeps it for the next visit. If no theme is set, the style sheets follow the system. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
