import { tick } from 'svelte';
import { isOverlayOpen } from './overlays.ts';

/**
 * The panes of the window that F6 cycles through, in document order; with two sides, the tabs and view of
 * each.
 */
const PANES =
  'nav[aria-label="Sections"], .strip > [role="tablist"], [data-view], aside[aria-label="Inspector"], footer';
/** The active one of two sides. There are no sides until a connection exists. */
const VIEW = '[data-view="active"], main.alone';
const REACHABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

/** Last focused element of each pane, to which the focus returns. */
const left = new WeakMap<Element, HTMLElement>();

function isReachable(element: HTMLElement): boolean {
  return element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true });
}

/** Fields of a form in the order of the document; buttons in it are not where it starts, unless they open choices. */
const FIELDS = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [role="combobox"]';

const isEmpty = (field: HTMLElement): boolean =>
  (field instanceof HTMLInputElement ||
    field instanceof HTMLTextAreaElement ||
    field instanceof HTMLSelectElement) &&
  field.value === '';

/** In a form whose entry is `empty`, the first field without a value, as others are already filled in. */
function firstField(form: HTMLFormElement): HTMLElement | undefined {
  const fields = [...form.querySelectorAll<HTMLElement>(FIELDS)].filter(isReachable);
  return (form.dataset['entry'] === 'empty' ? fields.find(isEmpty) : undefined) ?? fields[0];
}

/** The rows of a view, or its first field. */
function rowsIn(pane: Element): HTMLElement | null {
  const found = pane.querySelector<HTMLElement>(
    '[role="grid"][tabindex="0"], [role="treegrid"][tabindex="0"], [data-entry]',
  );
  const rows = found instanceof HTMLFormElement ? firstField(found) : found;
  return rows != null && isReachable(rows) ? rows : null;
}

/** Id of the tab that has the focus as far as it is drawn; null before there are tabs. */
export const drawnTab = (): string | null =>
  document.querySelector<HTMLElement>(VIEW)?.dataset['tab'] ?? null;

/** The element in a pane that receives the focus; null if none can. */
function entryOf(pane: Element): HTMLElement | null {
  const before = left.get(pane);
  if (before?.isConnected === true && pane.contains(before) && isReachable(before)) return before;
  return rowsIn(pane) ?? [...pane.querySelectorAll<HTMLElement>(REACHABLE)].find(isReachable) ?? null;
}

/** Moves the focus to the next or previous pane, cyclically. Does nothing while a dialog is open. */
export function stepPane(by: 1 | -1): void {
  if (isOverlayOpen(['dialog', 'alertdialog'])) return;
  const panes = [...document.querySelectorAll(PANES)];
  const focused = document.activeElement;
  const at = panes.findIndex((pane) => pane.contains(focused));
  const current = panes[at];
  if (current !== undefined && focused instanceof HTMLElement) left.set(current, focused);
  const start = at === -1 ? (by === 1 ? -1 : 0) : at;
  for (let step = 1; step <= panes.length; step += 1) {
    const pane = panes[(start + by * step + panes.length * 2) % panes.length];
    const entry = pane === undefined || pane === current ? null : entryOf(pane);
    if (entry === null) continue;
    entry.focus();
    return;
  }
}

/** Whether any element has the keyboard focus. */
export const isFocused = (): boolean =>
  document.activeElement !== null && document.activeElement !== document.body;

let stopEntering = (): void => undefined;

/**
 * Moves the focus to the rows of the view that was just opened, once they are loaded; without rows, to the
 * view itself. Stops if the user moves the focus elsewhere.
 */
export async function enterView(): Promise<void> {
  await tick();
  stopEntering();
  const view = document.querySelector<HTMLElement>(VIEW);
  if (view === null) return;
  const enter = (): void => (rowsIn(view) ?? view).focus();
  enter();
  const observer = new MutationObserver(() => {
    if (document.activeElement === view || !isFocused()) enter();
  });
  observer.observe(view, { childList: true, subtree: true });
  const ended = new AbortController();
  stopEntering = () => {
    observer.disconnect();
    ended.abort();
  };
  const { signal } = ended;
  document.addEventListener('pointerdown', stopEntering, { signal });
  document.addEventListener(
    'focusin',
    ({ target }) => {
      if (target !== view && target !== rowsIn(view)) stopEntering();
    },
    { signal },
  );
}

/**
 * Moves the focus to the current view if the focused element was removed with the previous one, so that keys
 * continue to work.
 */
export async function keepFocus(): Promise<void> {
  await tick();
  if (!isFocused()) await enterView();
}
