import type { FieldError } from '@berth/client';
import { Button } from 'react-aria-components/Button';
import type { Form } from '../../form/parsed-form.ts';
import { showInput } from '../../form/values-form.tsx';

interface FirstToDoProps {
  form: Form | null;
  errors: ReadonlyMap<string, FieldError[]>;
  /** Why the form as a whole cannot be checked. */
  whole: string | null;
  isOverrideBroken: boolean;
  onShow: (part: 'form' | 'override') => void;
}

/** What has to be corrected before anything can be planned, with a button that leads to each. */
export function FirstToDo({ form, errors, whole, isOverrideBroken, onShow }: FirstToDoProps) {
  const labels = new Map(form?.inputs.map(({ id, label }) => [id, label]));
  const go = (id: string) => {
    onShow('form');
    // The tab of the form may have to appear first.
    requestAnimationFrame(() => showInput(id));
  };
  return (
    <div className="notice warn">
      <p>Correct these first; then a plan is made:</p>
      {whole !== null && <p>{whole}</p>}
      <p className="missing-inputs">
        {[...errors].map(([id, [first]]) => (
          <Button key={id} className="button small" onPress={() => go(id)}>
            {labels.get(id) ?? id}: {first?.message}
          </Button>
        ))}
        {isOverrideBroken && (
          <Button className="button small" onPress={() => onShow('override')}>
            Override: its text is wrong
          </Button>
        )}
      </p>
    </div>
  );
}
