import type { PushHint } from './push-hint.ts';

/** A hint to scan what the message names, null if nothing need be scanned, or why the message cannot be understood. */
export type MessageContent = { hint: PushHint | null } | { refused: string };

export interface QueueMessage {
  /** Names this receipt of the message. */
  receipt: string;
  body: string;
  /** How often it was received, from 1. */
  receives: number;
  content: MessageContent;
}

/** A queue that a registry fills with push events. A message that is not removed comes back. */
export interface EventQueue extends Disposable {
  /** Waits for messages, for at most 20 s. For `hiddenMs` no other receiver gets them. */
  receive(hiddenMs: number, signal: AbortSignal): Promise<QueueMessage[]>;
  remove(message: QueueMessage, signal: AbortSignal): Promise<void>;
  postpone(message: QueueMessage, ms: number, signal: AbortSignal): Promise<void>;
  /** Moves it to the dead letters. */
  bury(message: QueueMessage, reason: string, signal: AbortSignal): Promise<void>;
}

/** The queue of a registry, which others may share. */
export interface DescribedQueue {
  /** Distinguishes it from other queues. */
  url: string;
  /** How its messages name the registry. */
  host: string;
  open(onRequest: (status: number | null) => void): EventQueue;
}
