import { useEffect, useRef, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';

interface FilterByTextProps {
  label: string;
  value: string;
  /** Called when typing pauses. */
  onChange: (text: string) => void;
}

const pauseMs = 200;

/** Filters a list by a text. `/` moves the focus here. */
export function FilterByText({ label, value, onChange }: FilterByTextProps) {
  const [text, setText] = useState(value);
  const said = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // The address changed otherwise, for example by going back.
  useEffect(() => {
    if (value === said.current) return;
    said.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      said.current = next;
      onChange(next);
    }, pauseMs);
  };
  return (
    <SearchField className="field" aria-label={label} value={text} onChange={change} data-key="filter">
      <Input className="input" placeholder={label} />
    </SearchField>
  );
}
