import { Ago, useNow, When } from '../ui/age.tsx';
import { Glyph } from '../ui/state.tsx';
import { standing } from './expiry.ts';

/** When a token expires, and whether that is soon. */
export function Expires({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="muted">never expires</span>;
  const stands = standing(at, now);
  if (stands === 'valid') return <When time={at} />;
  const tone = stands === 'soon' ? 'warn' : 'off';
  return (
    <span className={`state ${tone}`}>
      <Glyph tone={tone} />
      {stands === 'expired' ? (
        <>
          expired <Ago time={at} />
        </>
      ) : (
        <When time={at} />
      )}
    </span>
  );
}
