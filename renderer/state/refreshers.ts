/** Which view answers the Refresh command: each shown view leaves its own way of refreshing here. */
const byTab = new Map<string, () => unknown>();

export const refreshers = {
  /** Returns what takes it away again. */
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
