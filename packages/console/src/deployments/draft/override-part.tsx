import type { JsonObject } from '@berth/client';
import { sameJson } from '@berth/contracts/fields/json';
import { useEffect, useState } from 'react';
import { Choose } from '../../ui/inputs/choose.tsx';
import { CodeEditor } from '../../editor/code-editor.tsx';
import type { KnownKey } from '../../editor/keys-at.ts';
import { type EditorLanguage, overrideText, readOverride } from '../../editor/read-override.ts';
import type { TypedOverride } from './draft.ts';

interface OverridePartProps {
  override: JsonObject | null;
  /** What is being typed; null before that. */
  typed: TypedOverride | null;
  /** The override is undefined while the text is wrong. */
  onChange: (typed: TypedOverride, override: JsonObject | null | undefined) => void;
  known: readonly KnownKey[];
  /** Who may change it; null if the viewer may. */
  needs: string | null;
}

const languages = [
  { id: 'yaml', words: 'YAML' },
  { id: 'json', words: 'JSON' },
] as const;

/** Edits the values that are merged over those of the form. */
export default function OverridePart({ override, typed, onChange, known, needs }: OverridePartProps) {
  const [language, setLanguage] = useState<EditorLanguage>(typed?.language ?? 'yaml');
  const shown = typed ?? { text: overrideText(override, language), language };

  // Somebody else changed the override and the viewer did not, so this text follows.
  useEffect(() => {
    if (typed === null) return;
    const { value } = readOverride(typed.text, typed.language);
    if (value === undefined || sameJson(value, override)) return;
    onChange({ text: overrideText(override, typed.language), language: typed.language, isBroken: false }, override);
  }, [override]);

  const choose = (id: string | null) => {
    const next = languages.find((each) => each.id === id)?.id ?? 'yaml';
    const { value } = readOverride(shown.text, shown.language);
    // A text with an error cannot be converted.
    if (value === undefined) return;
    setLanguage(next);
    if (needs === null) onChange({ text: overrideText(value, next), language: next, isBroken: false }, value);
  };
  const type = (text: string) => {
    const { value } = readOverride(text, shown.language);
    onChange({ text, language: shown.language, isBroken: value === undefined }, value);
  };
  const [first] = readOverride(shown.text, shown.language).problems;
  return (
    <div className="override">
      <div className="override-head">
        <p className="help">
          Values of the chart, merged over what the form gives. {needs !== null && `Changing them is for ${needs}.`}
        </p>
        <Choose
          label="Written as"
          inline
          choices={languages}
          value={shown.language}
          onChange={choose}
          isDisabled={first !== undefined}
        />
      </div>
      <CodeEditor
        key={shown.language}
        label={`Override as ${shown.language.toUpperCase()}`}
        text={shown.text}
        language={shown.language}
        known={known}
        hint={shown.language === 'yaml' ? 'image:\n  tag: "1.2.3"' : '{ "image": { "tag": "1.2.3" } }'}
        onChange={needs === null ? type : undefined}
      />
      {first !== undefined && (
        <p className="field-error">
          Line {shown.text.slice(0, first.from).split('\n').length}: {first.message}
        </p>
      )}
    </div>
  );
}
