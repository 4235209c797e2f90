/** A text answer such as the log of a task, read as it arrives. */
export interface TextStream {
  lines(): AsyncGenerator<string>;
  text(): Promise<string>;
}

export const textStream = (response: Response): TextStream => ({
  text: () => response.text(),
  async *lines() {
    if (!response.body) return;
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  },
});
