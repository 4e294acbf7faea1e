/** The action of the Refresh command. Each shown view registers its own. */
type Refresh = () => unknown;
const byTab = new Map<string, Refresh>();
/** Refreshes of parts of views that have data of their own. */
const added = new Map<string, Set<Refresh>>();
/** A refresh that was requested while the view of its tab was still loading. */
let early: { tabId: string; begin: (refresh: Refresh | null) => void } | null = null;

function endEarly(refresh: Refresh | null): void {
  const { begin } = early ?? {};
  early = null;
  begin?.(refresh);
}

export const refreshers = {
  /** Sets the refresh of a tab, and starts it if it was requested before. Returns a function that removes it. */
  set(tabId: string, refresh: Refresh): () => void {
    byTab.set(tabId, refresh);
    if (early?.tabId === tabId) endEarly(refresh);
    return () => {
      if (byTab.get(tabId) === refresh) byTab.delete(tabId);
    };
  },
  /** Adds a part that is refreshed together with the view that contains it. Returns a function that removes it. */
  add(tabId: string, refresh: Refresh): () => void {
    const parts = added.get(tabId) ?? new Set();
    added.set(tabId, parts.add(refresh));
    return () => {
      parts.delete(refresh);
      if (parts.size === 0 && added.get(tabId) === parts) added.delete(tabId);
    };
  },
  /** To be called when another tab is shown: a refresh that still waits for the view of the previous tab is dropped. */
  follow(tabId: string | null): void {
    if (early !== null && early.tabId !== tabId) endEarly(null);
  },
  /**
   * Refreshes a tab. If its view is still loading, waits for it until another refresh is requested or the tab is left.
   */
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
