import { useState } from 'react';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { tried } from './tried-tag.ts';

/** Shows how a tag would be parsed. */
export function TryTag({ formats }: { formats: readonly { id: string; pattern: string }[] }) {
  const [tag, setTag] = useState('');
  const { match, unusable } = tried(formats, tag);
  const parts = match === null ? [] : Object.entries(match.parts).filter(([, value]) => value !== null);
  return (
    <div className="try-tag">
      <TextInput
        label="Try a tag"
        placeholder="1.4.0-main.12"
        value={tag}
        onChange={setTag}
        spellCheck="false"
        autoComplete="off"
        {...(unusable[0] && { error: `${unusable[0].pattern}: ${unusable[0].why}` })}
      />
      <div role="status">
        {tag !== '' && match === null && unusable.length === 0 && (
          <p className="muted">No format matches, so the version is the one in Chart.yaml.</p>
        )}
        {match !== null && (
          <>
            <p className="meta">
              Read by <code>{match.pattern}</code>
            </p>
            <dl className="facts">
              {parts.map(([name, value]) => (
                <div key={name} className="fact">
                  <dt>{name}</dt>
                  <dd className="mono">{value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </div>
    </div>
  );
}
