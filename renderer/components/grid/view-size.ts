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

/** Reports the size before the first frame, and before each frame in which it has changed. */
export function watchSize(take: (size: Size) => void): Attachment<HTMLElement> {
  return (element) => {
    const observer = new ResizeObserver(() => {
      const size = { width: element.clientWidth, height: element.clientHeight };
      if (size.width > 0) last = size;
      take(size);
    });
    observer.observe(element);
    return () => observer.disconnect();
  };
}
