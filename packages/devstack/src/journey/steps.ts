/** Shows the steps of a journey with their durations. */
export interface Steps {
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** Shows a detail of the current step. */
  detail(text: string): void;
}

export function createSteps(write: (line: string) => void): Steps {
  return {
    async step(title, work) {
      const started = performance.now();
      write(`\n▸ ${title}`);
      const result = await work().catch((error: unknown) => {
        write(`  ✗ failed after ${seconds(started)}`);
        throw error;
      });
      write(`  ✓ ${seconds(started)}`);
      return result;
    },
    detail: (text) => write(`    ${text}`),
  };
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
