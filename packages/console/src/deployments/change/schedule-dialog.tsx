import { type Deployment, type JsonObject, unwrap } from '@berth/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { exactTime } from '../../ui/age.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Dialog } from '../../ui/page/dialog.tsx';
import { Problem } from '../../ui/reading/problem.tsx';

interface ScheduleDialogProps {
  deployment: Deployment;
  wanted: { helm_chart_id: string; config_inputs: JsonObject; values_override: JsonObject | null };
  isOpen: boolean;
  onClose: () => void;
  onScheduled: (taskId: string, at: string) => void;
}

/** The time in the viewer's zone, or why there is none. */
function timeOf(text: string): { at: string } | { error: string | undefined } {
  if (text === '') return { error: undefined };
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return { error: 'must be a date and a time' };
  return at.getTime() <= Date.now() ? { error: 'must lie in the future' } : { at: at.toISOString() };
}

/** Schedules the change: a task waits until then. */
export function ScheduleDialog({ deployment, wanted, isOpen, onClose, onScheduled }: ScheduleDialogProps) {
  const [text, setText] = useState('');
  const time = timeOf(text);
  const schedule = useMutation({
    mutationFn: async (execute_at: string) =>
      unwrap(
        await berth.deploymentTasks.create({
          body: { deployment_id: deployment.id, operation: { Upgrade: wanted }, execute_at },
        }),
      ),
    onSuccess: ({ id, execute_at }) => onScheduled(id, execute_at),
  });
  return (
    <Dialog title="Schedule this change" isOpen={isOpen} onClose={onClose}>
      <p>
        A task waits until then and makes the change: version, inputs and override as they are on this page. It can be
        canceled before.
      </p>
      <TextInput
        label="Date and time"
        type="datetime-local"
        value={text}
        onChange={setText}
        help={
          'at' in time ? exactTime(time.at) : `In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`
        }
        error={'error' in time ? time.error : undefined}
        autoFocus
      />
      {schedule.error && <Problem error={schedule.error} />}
      <div className="dialog-actions">
        <Button className="button" onPress={onClose}>
          Not now
        </Button>
        <Button
          className="button primary"
          isDisabled={!('at' in time) || schedule.isPending}
          onPress={() => 'at' in time && schedule.mutate(time.at)}
        >
          Schedule
        </Button>
      </div>
    </Dialog>
  );
}
