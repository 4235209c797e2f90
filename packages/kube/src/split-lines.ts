import { type GatheredBytes, gatherBytes } from '@berth/contracts/gather-bytes';
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
  /** The beginning of a line that is not complete. Concatenated texts would take fifty times as much if it is sent byte by byte. */
  let rest: GatheredBytes | undefined;
  let size = 0;
  let lines = 0;

  function add(part: Uint8Array): void {
    size += part.length;
    if (size > longest) rest = undefined;
    else if (part.length > 0) (rest ??= gatherBytes(longest)).add(part);
  }

  /** The line that this last part completes; null if it is too long. */
  function complete(part: Uint8Array): string | null {
    const isWhole = rest === undefined && size === 0;
    if (!isWhole) add(part);
    const bytes = isWhole ? part : rest?.take();
    const isTooLong = size + (isWhole ? part.length : 0) > longest;
    rest = undefined;
    size = 0;
    return isTooLong ? null : textOf(bytes);
  }

  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(lineEnd, from);
      if (end < 0) {
        add(chunk.subarray(from));
        break;
      }
      yield complete(chunk.subarray(from, end));
      from = end + 1;
      lines += 1;
      if (lines % perTurn === 0) await nextTurn();
    }
    if (size > endless) throw new AnswerTooLarge(endless, `a line of the watch is longer than ${endless} bytes`);
  }
}

const lineEnd = 0x0a;

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') : '';
