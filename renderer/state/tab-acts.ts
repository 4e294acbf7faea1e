/** Commands for the palette that only the view of a certain tab can perform. */
import { app } from './app.svelte.ts';
import { toast } from './toast.ts';

type TabAct = 'comparison.review' | 'comparison.select' | 'comparison.dataset';
type Acts = Readonly<Partial<Record<TabAct, () => unknown>>>;

class TabActs {
  readonly #byTab = new Map<string, () => Acts>();

  /** Sets the commands of a tab. Returns a function that removes them. */
  set(tabId: string, acts: () => Acts): () => void {
    this.#byTab.set(tabId, acts);
    return () => {
      if (this.#byTab.get(tabId) === acts) this.#byTab.delete(tabId);
    };
  }

  /** Performs the command in the active tab, or tells the user that its view does not have it. */
  run(act: TabAct): unknown {
    const { activeId } = app.tabs;
    const own = activeId === null ? undefined : this.#byTab.get(activeId)?.()[act];
    return own === undefined ? toast('Open a comparison of runs with items first.') : own();
  }
}

export const tabActs = new TabActs();
