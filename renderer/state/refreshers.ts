/** The action of the Refresh command: each shown view registers its own. */
type Refresh = () => unknown;
const byTab = new Map<string, Refresh>();
/** Parts of a view with data of their own. */
const added = new Map<string, Set<Refresh>>();
/** A refresh of a tab whose view is still loading. */
let early: { tabId: string; begin: (refresh: Refresh | null) => void } | null = null;

function endEarly(refresh: Refresh | null): void {
  const { begin } = early ?? {};
  early = null;
  begin?.(refresh);
}

export const refreshers = {
  /** Starts the refresh if it was asked for before. Returns a function that removes it. */
  set(tabId: string, refresh: Refresh): () => void {
    byTab.set(tabId, refresh);
    if (early?.tabId === tabId) endEarly(refresh);
    return () => {
      if (byTab.get(tabId) === refresh) byTab.delete(tabId);
    };
  },
  /** Refreshes a part together with the view that contains it. Returns a function that removes it. */
  add(tabId: string, refresh: Refresh): () => void {
    const parts = added.get(tabId) ?? new Set();
    added.set(tabId, parts.add(refresh));
    return () => {
      parts.delete(refresh);
      if (parts.size === 0 && added.get(tabId) === parts) added.delete(tabId);
    };
  },
  /** Another tab is shown: a refresh that waits for the view of the former one is dropped. */
  follow(tabId: string | null): void {
    if (early !== null && early.tabId !== tabId) endEarly(null);
  },
  /** Waits for a view that is still loading, until another refresh is asked for or its tab is left. */
  async run(tabId: string | null): Promise<void> {
    endEarly(null);
    if (tabId === null) return;
    const refresh =
      byTab.get(tabId) ??
      (await new Promise<Refresh | null>((begin) => {
        early = { tabId, begin };
      }));
    if (refresh === null) return;
    await Promise.all([refresh, ...(added.get(tabId) ?? [])].map((each) => each()));
  },
};
