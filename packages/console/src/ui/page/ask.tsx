import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Problem } from '../reading/problem.tsx';
import { Dialog } from './dialog.tsx';

interface AskFormProps {
  /** A verb: `Create`. */
  action: string;
  /** Rejects with what went wrong. Nothing that was typed is lost. */
  onSubmit: () => Promise<unknown>;
  onCancel: () => void;
  /** False while something is missing. */
  isReady?: boolean;
  children: ReactNode;
}

/** Fields in a dialog, submitted with Enter or the button. */
export function AskForm({ action, onSubmit, onCancel, isReady = true, children }: AskFormProps) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setIsBusy(true);
    setError(null);
    onSubmit()
      .catch(setError)
      .finally(() => setIsBusy(false));
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      {children}
      {error !== null && <Problem error={error} />}
      <div className="dialog-actions">
        <Button className="button" onPress={onCancel}>
          Cancel
        </Button>
        <Button type="submit" className="button primary" isDisabled={!isReady || isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}

interface AskProps extends Omit<AskFormProps, 'onCancel'> {
  title: string;
  onClose: () => void;
}

/** Asks for what an action needs, and closes once it is done. It is mounted only while it asks, so nothing typed stays behind. */
export function Ask({ title, onClose, onSubmit, ...form }: AskProps) {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <AskForm {...form} onCancel={onClose} onSubmit={() => onSubmit().then(onClose)} />
    </Dialog>
  );
}
