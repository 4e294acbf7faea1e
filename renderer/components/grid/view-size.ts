/** Watches the size of a grid's view without forcing a layout. */
import type { Attachment } from 'svelte/attachments';

export interface Size {
  /** Inner width in pixels, without borders and scroll bars. */
  width: number;
  height: number;
}

let last: Size = { width: 800, height: 400 };

/** Size of the grid drawn last, as the next grid usually replaces it. */
export const likelySize = (): Size => last;

/**
 * Reports the size before the first frame, and later changes after the frame in which they happened: arranging the columns
 * and the layout of what caused the change, such as a pane that opens beside the grid, would be too much for one frame.
 */
export function watchSize(take: (size: Size) => void): Attachment<HTMLElement> {
  return (element) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let size: Size | undefined;
    const observer = new ResizeObserver(() => {
      const isFirst = size === undefined;
      const now = { width: element.clientWidth, height: element.clientHeight };
      size = now;
      if (now.width > 0) last = now;
      clearTimeout(timer);
      if (isFirst) take(now);
      else timer = setTimeout(() => take(now));
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  };
}
