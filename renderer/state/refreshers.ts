/** The action of the Refresh command: each shown view registers its own. */
const byTab = new Map<string, () => unknown>();

export const refreshers = {
  /** Returns a function that removes it. */
  set(tabId: string, refresh: () => unknown): () => void {
    byTab.set(tabId, refresh);
    return () => {
      if (byTab.get(tabId) === refresh) byTab.delete(tabId);
    };
  },
  run(tabId: string | null): unknown {
    return tabId === null ? undefined : byTab.get(tabId)?.();
  },
};
