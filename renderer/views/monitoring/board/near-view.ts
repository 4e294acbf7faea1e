/** Detects that an element comes near the visible part of the scrolling area. */
import type { Attachment } from 'svelte/attachments';

/** Distance in pixels above and below the visible part. */
const MARGIN = 240;

const scrolls = (element: Element): boolean => /auto|scroll/.test(getComputedStyle(element).overflowY);

function scrollerOf(element: Element): Element | null {
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement)
    if (scrolls(parent)) return parent;
  return null;
}

/** Calls `onnear` once when the element comes near. */
export function nearView(onnear: () => void): Attachment<HTMLElement> {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onnear();
      },
      { root: scrollerOf(element), rootMargin: `${MARGIN}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
}
