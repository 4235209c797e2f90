export { type Answer, type Failure, type Problem, ProblemError, type Success, unwrap, unwrapOrNull } from './answer.ts';
export { type Client, createClient } from './create-client.ts';
export { everyItem } from './every-item.ts';
export { type CallOptions, type ClientOptions, createSend, type Credential, type Patience } from './send.ts';
export type { TextStream } from './text-stream.ts';
export { waitForTask } from './wait-for-task.ts';
export { WaitedTooLong, type WaitOptions, waitUntil } from './wait-until.ts';
