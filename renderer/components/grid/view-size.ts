/** How large the view of a grid is, without laying the window out to ask. */
import type { Attachment } from 'svelte/attachments';

export interface Size {
  /** Pixels inside its edges and scroll bars. */
  width: number;
  height: number;
}

let last: Size = { width: 800, height: 400 };

/** Of the grid that was drawn last: the next one mostly takes its place. */
export const likelySize = (): Size => last;

/** Tells the size before each frame in which it is another one, the first one too. */
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
