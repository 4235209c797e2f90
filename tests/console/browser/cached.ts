import type { Page } from 'playwright-core';

/** Whatever the page keeps of what it has read and sent: its query cache, found through the tree that React keeps at its root. */
export const cached = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const root = document.querySelector('#app');
    const container = root[Object.keys(root).find((key) => key.startsWith('__reactContainer$'))];
    const clientIn = (first) => {
      for (let fiber = first; fiber; fiber = fiber.sibling) {
        const client = fiber.memoizedProps?.client;
        const found = client?.getQueryCache ? client : clientIn(fiber.child);
        if (found) return found;
      }
    };
    const client = clientIn(container.stateNode.current.child);
    return JSON.stringify([
      client.getQueryCache().getAll().map(({ queryKey, state }) => [queryKey, state.data, String(state.error)]),
      client.getMutationCache().getAll().map(({ state }) => [state.variables, state.data]),
    ]);
  })()`);
