import { useConnection } from '../live/connection.tsx';

export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'off';

export interface StateWord {
  tone: Tone;
  word: string;
}

const glyphs: Record<Tone, string> = {
  ok: 'M3.5 6.2 5.3 8l3.2-3.8',
  busy: 'M6 1.5a4.5 4.5 0 1 1-4.5 4.5',
  warn: 'M6 3.5v3M6 8.5h.01',
  bad: 'M4 4l4 4M8 4l-4 4',
  off: 'M3.5 6h5',
};

/** A state as glyph, word and colour. While the connection is lost nothing looks healthy, since it may have changed. */
export function State({ tone, word }: StateWord) {
  const isStale = useConnection().state === 'lost' && tone === 'ok';
  const shown = isStale ? 'off' : tone;
  return (
    <span className={`state ${shown}`} {...(isStale && { title: 'As it was before the connection was lost' })}>
      <Glyph tone={shown} />
      {word}
    </span>
  );
}

export function Glyph({ tone }: { tone: Tone }) {
  return (
    <svg className={`glyph ${tone}`} viewBox="0 0 12 12" aria-hidden="true">
      <rect className="back" width="12" height="12" rx={tone === 'bad' || tone === 'warn' ? 2 : 6} />
      <path d={glyphs[tone]} />
    </svg>
  );
}
