import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Problem } from '../reading/problem.tsx';
import { TextInput } from '../inputs/text-input.tsx';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}

/** A dialog that returns the focus to where it came from. */
export function Dialog({ title, isOpen, onClose, children, wide = false }: DialogProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <AriaDialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  title: string;
  /** What will happen, and to what. */
  children?: ReactNode;
  /** A verb: `Delete`. */
  action: string;
  /** The text that has to be typed to confirm something that cannot be undone. */
  typed?: string | undefined;
  destroys?: boolean;
  isOpen: boolean;
  onClose: () => void;
  /** Rejects with what went wrong, which the dialog shows. */
  onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation of something that is hard to undo. */
export function Confirm({ title, children, action, typed, destroys, isOpen, onClose, onConfirm }: ConfirmProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  const close = () => {
    setText('');
    setError(null);
    onClose();
  };
  const confirm = () => {
    setIsBusy(true);
    onConfirm()
      .then(close, setError)
      .finally(() => setIsBusy(false));
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      {children}
      {typed !== undefined && (
        <TextInput label={`Type ${typed} to confirm`} value={text} onChange={setText} autoComplete="off" />
      )}
      {error !== null && <Problem error={error} />}
      <div className="dialog-actions">
        <Button className="button" onPress={close}>
          Keep it as it is
        </Button>
        <Button
          className={destroys ? 'button danger' : 'button primary'}
          isDisabled={isBusy || (typed !== undefined && text !== typed)}
          onPress={confirm}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
