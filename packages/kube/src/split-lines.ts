import { StringDecoder } from 'node:string_decoder';
import { nextTurn } from '@berth/service/waiting/next-turn';
import { answerLimits } from './answer-limits.ts';
import { AnswerTooLarge } from './kube-error.ts';

export interface LineLimits {
  /** A longer line is dropped. */
  readonly longest?: number;
  /** A longer line ends the stream. */
  readonly endless?: number;
  /** Lines that are yielded before the event loop may run. */
  readonly perTurn?: number;
}

/**
 * The complete lines of a stream, and null for each that is too long, so that one huge object of a workload does not end the
 * watch of all others. An incomplete last line is dropped: its event is sent again after the reconnect.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  { longest = answerLimits.object.bytes, endless = answerLimits.page.bytes, perTurn = 100 }: LineLimits = {},
): AsyncGenerator<string | null> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let size = 0;
  let lines = 0;

  for await (const chunk of chunks) {
    const text = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from);
      const to = end < 0 ? text.length : end;
      size += to - from;
      line = size <= longest ? line + text.slice(from, to) : '';
      from = to + 1;
      if (end < 0) break;

      yield size <= longest ? line : null;
      line = '';
      size = 0;
      lines += 1;
      if (lines % perTurn === 0) await nextTurn();
    }
    if (size > endless) {
      throw new AnswerTooLarge(endless, `a line of the watch is longer than ${endless} characters`);
    }
  }
}
