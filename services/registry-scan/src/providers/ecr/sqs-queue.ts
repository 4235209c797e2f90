import type { SQSClient } from '@aws-sdk/client-sqs';
import { cutText } from '@berth/contracts/cut-text';
import type { EventQueue } from '../../connection/event-queue.ts';
import type { OnRequest } from '../../connection/registry-session.ts';
import { awsRequestHandler, awsRequests, withinTime } from './aws-requests.ts';
import { readEcrEvent } from './ecr-event.ts';

export interface SqsQueue {
  url: string;
  deadLetterUrl: string;
  /** The region of the queue; that of the registry, if the host of the queue names none. */
  region: string;
}

const requestMs = 15_000;
/** The longest that SQS allows. */
const longPollSeconds = 20;
const longestPostponedMs = 12 * 3_600_000;
const messagesAtOnce = 10;
/** Far less than SQS takes, so that the reason fits beside it. */
const longestDeadLetter = 60_000;

/** A queue of SQS that a rule of EventBridge fills with the events of ECR. */
export function createSqsQueue({ url: QueueUrl, deadLetterUrl, region }: SqsQueue, onRequest: OnRequest): EventQueue {
  // Imported only if a queue is configured, as the client of ECR is.
  const library = () => import('@aws-sdk/client-sqs');
  const { origin, hostname } = new URL(QueueUrl);
  const [, ownRegion = region] = /^sqs(?:-fips)?\.([a-z0-9-]+)\.amazonaws\./.exec(hostname) ?? [];
  const asked = awsRequests(`the queue ${QueueUrl}`, onRequest);
  let opened: SQSClient | undefined;

  async function client(): Promise<SQSClient> {
    const { SQSClient: Client } = await library();
    opened ??= new Client({ region: ownRegion, endpoint: origin, requestHandler: awsRequestHandler() });
    return opened;
  }

  const queue: EventQueue = {
    async receive(hiddenMs, signal) {
      const { ReceiveMessageCommand } = await library();
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: messagesAtOnce,
        WaitTimeSeconds: longPollSeconds,
        VisibilityTimeout: Math.ceil(hiddenMs / 1000),
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      });
      const within = withinTime(longPollSeconds * 1000 + requestMs, signal);
      const { Messages = [] } = await asked(async () => (await client()).send(command, within), signal);
      return Messages.map(({ ReceiptHandle: receipt = '', Body: body = '', Attributes = {} }) => ({
        receipt,
        body,
        receives: Number(Attributes.ApproximateReceiveCount ?? 1),
        content: readEcrEvent(body),
      }));
    },

    async remove({ receipt: ReceiptHandle }, signal) {
      const { DeleteMessageCommand } = await library();
      const command = new DeleteMessageCommand({ QueueUrl, ReceiptHandle });
      await asked(async () => (await client()).send(command, withinTime(requestMs, signal)), signal);
    },

    async postpone({ receipt: ReceiptHandle }, ms, signal) {
      const { ChangeMessageVisibilityCommand } = await library();
      const VisibilityTimeout = Math.ceil(Math.min(ms, longestPostponedMs) / 1000);
      const command = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout });
      await asked(async () => (await client()).send(command, withinTime(requestMs, signal)), signal);
    },

    async bury(message, reason, signal) {
      const { SendMessageCommand } = await library();
      const command = new SendMessageCommand({
        QueueUrl: deadLetterUrl,
        MessageBody: cutText(message.body, longestDeadLetter) || '(empty)',
        MessageAttributes: { reason: { DataType: 'String', StringValue: reason } },
      });
      await asked(async () => (await client()).send(command, withinTime(requestMs, signal)), signal);
      // Only now, so that an outage between the two leaves it twice rather than nowhere.
      await queue.remove(message, signal);
    },

    [Symbol.dispose]: () => opened?.destroy(),
  };
  return queue;
}
