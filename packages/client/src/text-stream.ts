/** A text answer such as the log of a task, read as it arrives. */
export interface TextStream {
  /** Without empty lines, by which a followed log that is quiet stays open. */
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
      yield* lines.filter((line) => line !== '');
    }
    if (rest !== '') yield rest;
  },
});
