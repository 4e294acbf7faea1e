/** Restores the scroll position of a part of a view when its tab is shown again, and after a restart. */
import type { Attachment } from 'svelte/attachments';
import { inHand, placeOf, reached, type ScrollPlace, scrolled } from '../../lib/scroll-place.ts';
import { app } from '../../state/app.svelte.ts';

/** Elements that are placeholders for content that is still loading. */
const COMING = '[data-skeleton], [aria-busy="true"]';
const HAND = ['pointerdown', 'focusin', 'input'] as const;

const mostOf = ({ scrollHeight, clientHeight }: HTMLElement) => scrollHeight - clientHeight;

/** Calls `changed` whenever the height of the element's content may have changed. */
function watchContent(element: HTMLElement, changed: () => void): () => void {
  const sizes = new ResizeObserver(changed);
  const observe = () => {
    sizes.disconnect();
    for (const each of [element, ...element.children]) sizes.observe(each);
  };
  const nodes = new MutationObserver((records) => {
    if (records.some(({ target, type }) => target === element && type === 'childList')) observe();
    changed();
  });
  observe();
  nodes.observe(element, { childList: true, subtree: true, characterData: true });
  return () => {
    sizes.disconnect();
    nodes.disconnect();
  };
}

class KeptScroll {
  #place: ScrollPlace;

  constructor(kept: unknown) {
    this.#place = placeOf(kept);
  }

  get place(): { top: number } {
    return { top: this.#place.top };
  }

  /** Always the same function, so that the attachment does not restart if parameters of the tab change. */
  readonly attach: Attachment<HTMLElement> = (element) => {
    let last = element.scrollTop;
    let stopWatching: (() => void) | null = null;
    const become = (place: ScrollPlace) => {
      this.#place = place;
      last = element.scrollTop;
      // Otherwise the browser would keep the visible content in place while more is added above it.
      element.style.overflowAnchor = place.isFound ? '' : 'none';
      if (!place.isFound) stopWatching ??= watchContent(element, look);
      else {
        stopWatching?.();
        stopWatching = null;
      }
    };
    const look = () => {
      // The user may have scrolled although the event has not arrived yet.
      const now = scrolled(this.#place, element.scrollTop, last, mostOf(element));
      if (now.isFound) return become(now);
      element.scrollTop = now.top;
      become(reached(now, mostOf(element), element.querySelector(COMING) !== null));
    };
    const onscroll = () => become(scrolled(this.#place, element.scrollTop, last, mostOf(element)));
    const onhand = () => become(inHand(element.scrollTop));
    this.#place = placeOf(this.place);
    look();
    element.addEventListener('scroll', onscroll, { passive: true });
    for (const name of HAND) element.addEventListener(name, onhand, { passive: true });
    return () => {
      stopWatching?.();
      element.removeEventListener('scroll', onscroll);
      for (const name of HAND) element.removeEventListener(name, onhand);
    };
  };
}

/** `name` distinguishes the parts of a tab that scroll. */
export function keptScroll(tabId: string, name = 'body'): Attachment<HTMLElement> {
  const key = `scroll.${name}`;
  return app.tabs.hold(tabId, key, () => new KeptScroll(app.keptPlace(tabId, key))).attach;
}
