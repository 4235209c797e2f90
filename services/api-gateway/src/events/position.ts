/** A position in the stream of events: after the event with this sequence. */
export interface Position {
  /** ISO time of the stream's creation; in another stream the same sequences mean other events. */
  readonly created: string;
  readonly sequence: number;
}

const shape = /^(\d{1,15})-(\d{1,15})$/;

/** The `id:` of an event, `<time of the stream's creation>-<sequence>`. */
export const idOf = ({ created, sequence }: Position): string => `${Date.parse(created)}-${sequence}`;

/** The position in `Last-Event-ID`; a malformed one matches no stream, so the client is reset. */
export function positionOf(lastEventId: string): Position {
  const [, time = '0', sequence = '0'] = shape.exec(lastEventId) ?? [];
  return { created: new Date(Number(time)).toISOString(), sequence: Number(sequence) };
}
