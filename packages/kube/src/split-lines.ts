import { StringDecoder } from 'node:string_decoder';
import { AnswerTooLarge } from './kube-error.ts';

/** The complete lines of a stream. An incomplete last line is dropped: its event is sent again after the reconnect. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxCharacters: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let size = 0;

  for await (const chunk of chunks) {
    const [end = '', ...starts] = decoder.write(Buffer.from(chunk)).split('\n');
    pieces.push(end);
    size += end.length;

    for (const start of starts) {
      yield pieces.join('');
      pieces = [start];
      size = start.length;
    }
    if (size > maxCharacters) {
      throw new AnswerTooLarge(maxCharacters, `a line of the watch is longer than ${maxCharacters} characters`);
    }
  }
}
