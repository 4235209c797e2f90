/** The icons of the console: 16 px, in the colour of the text around them. */
const paths = {
  berth: 'M2 10h12l-2 4H4zM8 2v8M8 3l4 5H8',
  home: 'M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z',
  deployments: 'M8 2l5 2.8v6.4L8 14l-5-2.8V4.8zM3 4.8 8 8l5-3.2M8 8v6',
  tasks: 'M2.5 4h11M2.5 8h7M2.5 12h9',
  charts: 'M4 2h6l3 3v9H4zM10 2v3h3M6 8h5M6 11h5',
  clusters: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  envs: 'M8 2 2.5 5 8 8l5.5-3zM2.5 8 8 11l5.5-3M2.5 11 8 14l5.5-3',
  person: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM3 14c.4-3 2.4-4.5 5-4.5s4.6 1.5 5 4.5',
  audit: 'M4 2h8v12H4zM6 5h4M6 8h4M6 11h2',
  key: 'M6 10a3 3 0 1 0-2.9-3.5A3 3 0 0 0 6 10zM8.5 8.5 14 14M11.5 11.5l1.5-1.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  plus: 'M8 3v10M3 8h10',
  out: 'M6 3H3v10h10v-3M9 3h4v4M13 3 7 9',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
} as const;

export type IconName = keyof typeof paths;

/** Decorates words, so screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
