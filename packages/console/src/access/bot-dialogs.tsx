import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../api/berth.ts';
import type { Row } from '../api/reads.ts';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { Ask } from '../ui/page/ask.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import { Deactivate } from './activity.tsx';

interface BotDialogProps {
  bot: Row<'bots'>;
  onClose: () => void;
}

interface NameBotProps {
  /** Null for a new one. */
  bot: Row<'bots'> | null;
  onClose: () => void;
  onNamed: (id: string) => void;
}

export function NameBot({ bot, onClose, onNamed }: NameBotProps) {
  const [name, setName] = useState(bot?.display_name ?? '');
  return (
    <Ask
      title={bot === null ? 'New bot' : `Rename ${bot.display_name}`}
      action={bot === null ? 'Create' : 'Rename'}
      isReady={name.trim() !== '' && name !== bot?.display_name}
      onClose={onClose}
      onSubmit={async () => {
        const body = { display_name: name };
        const answer = await (bot === null ? berth.bots.create({ body }) : berth.bots.update({ id: bot.id, body }));
        onNamed(unwrap(answer).id);
        say(bot === null ? `${name} was created` : `${bot.display_name} is now ${name}`);
      }}
    >
      <TextInput
        label="Name"
        help="Shown beside everything that it does."
        value={name}
        onChange={setName}
        maxLength={100}
        isRequired
        autoFocus
      />
    </Ask>
  );
}

export function DeactivateBot({ bot, onClose, onUndo }: BotDialogProps & { onUndo: () => void }) {
  return (
    <Deactivate
      of={bot}
      onClose={onClose}
      onUndo={onUndo}
      onConfirm={async () => unwrap(await berth.bots.update({ id: bot.id, body: { is_active: false } }))}
    >
      <p>Its tokens are refused until somebody activates it again, and tasks that it has scheduled will fail.</p>
    </Deactivate>
  );
}

export function DeleteBot({ bot: { id, display_name }, tokens, onClose }: BotDialogProps & { tokens: number }) {
  return (
    <Confirm
      title={`Delete ${display_name}`}
      action="Delete"
      typed={display_name}
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        unwrap(await berth.bots.delete({ id }));
        say(`${display_name} was deleted`);
      }}
    >
      <p>
        The bot is deleted{tokens > 0 && ` with its ${tokens === 1 ? 'token' : `${tokens} tokens`}`}: every program that
        uses it is refused. Tasks that it has scheduled will fail. This cannot be undone.
      </p>
    </Confirm>
  );
}
