export { type Answer, type Problem, ProblemError, type Success, unwrap } from './answer.ts';
export { type Client, createClient } from './create-client.ts';
export { everyItem } from './every-item.ts';
export { createSend, type Credential, type Patience } from './send.ts';
export { waitForTask } from './wait-for-task.ts';
export { WaitedTooLong, waitUntil } from './wait-until.ts';
