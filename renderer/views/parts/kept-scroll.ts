/** A part of a view that scrolls is where it was when its tab is shown again. */
import type { Attachment } from 'svelte/attachments';
import { app } from '../../state/app.svelte.ts';

/** `name` tells the scrolling parts of one tab apart. */
export function keptScroll(tabId: string, name = 'body'): Attachment<HTMLElement> {
  const place = app.tabs.hold(tabId, `scroll.${name}`, () => ({ top: 0 }));
  return (element) => {
    element.scrollTop = place.top;
    const keep = () => {
      place.top = element.scrollTop;
    };
    element.addEventListener('scroll', keep, { passive: true });
    return () => element.removeEventListener('scroll', keep);
  };
}
