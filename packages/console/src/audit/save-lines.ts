/** A file on the viewer's computer. */
export interface LineSink {
  write(text: string): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
  /** Deletes the incomplete file. */
  abort(): Promise<void>;
}

declare global {
  interface Window {
    /** Not in every browser. */
    showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
  }
}

const gatherChars = 64 * 1024;

/** Writes lines as they arrive, in larger pieces. An incomplete file is deleted. */
export async function saveLines(
  lines: AsyncIterable<string>,
  sink: LineSink,
  onCount: (count: number) => void,
): Promise<void> {
  let text = '';
  let count = 0;
  try {
    for await (const line of lines) {
      text += `${line}\n`;
      count += 1;
      if (text.length < gatherChars) continue;
      await sink.write(text);
      text = '';
      onCount(count);
    }
    await sink.write(text);
  } catch (error) {
    await sink.abort();
    throw error;
  }
  onCount(count);
  await sink.close();
}

/** A browser that cannot write files keeps the whole export in memory. */
const mostBytesInMemory = 64 * 1024 * 1024;

export function memorySink(done: (parts: string[]) => void, mostBytes = mostBytesInMemory): LineSink {
  const parts: string[] = [];
  let bytes = 0;
  return {
    write(text) {
      bytes += text.length;
      if (bytes > mostBytes) {
        const most = Math.floor(mostBytes / 1024 / 1024);
        return Promise.reject(
          new Error(`The export has more than ${most} MB, which this browser cannot keep: choose a shorter time`),
        );
      }
      parts.push(text);
      return Promise.resolve();
    },
    close() {
      done(parts);
      return Promise.resolve();
    },
    abort: () => Promise.resolve(),
  };
}

/** Asks where to save the file, if the browser can write it as it arrives. Other browsers download it at the end. */
export async function sinkFor(name: string): Promise<LineSink> {
  if (window.showSaveFilePicker !== undefined) {
    const handle = await window.showSaveFilePicker({ suggestedName: name });
    return handle.createWritable();
  }
  return memorySink((parts) => {
    const url = URL.createObjectURL(new Blob(parts, { type: 'application/x-ndjson' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  });
}
