import { type DestinationStream, pino } from 'pino';

/**
 * Standard output for logs: the lines of one turn of the event loop go out in one write, since at a thousand requests a
 * second a system call per line is a tenth of a service's work. What a crash can lose is one turn; an exit loses nothing.
 */
export function bunchedOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true });
  let lines = '';
  const flush = () => {
    const bunch = lines;
    lines = '';
    if (bunch !== '') output.write(bunch);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
