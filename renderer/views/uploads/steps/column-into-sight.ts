/** The head of a column and where it begins beside the pinned first column; null if it is not in the table. */
function placeOf(pane: HTMLElement, source: string): { head: HTMLElement; from: number } | null {
  const head = [...pane.querySelectorAll('th')].find(({ dataset }) => dataset['source'] === source);
  const first = pane.querySelector('th');
  if (head === undefined || first === null) return null;
  return { head, from: head.offsetLeft - first.offsetWidth };
}

/** Scrolls a table horizontally until the head of a column is visible beside the pinned first column. */
export function columnIntoSight(pane: HTMLElement, source: string): void {
  const place = placeOf(pane, source);
  if (place === null) return;
  const { head, from } = place;
  const to = head.offsetLeft + head.offsetWidth;
  if (from < pane.scrollLeft) pane.scrollLeft = from;
  else if (to > pane.scrollLeft + pane.clientWidth) pane.scrollLeft = Math.min(from, to - pane.clientWidth);
}

/**
 * Uncovers a column that slides half beneath the pinned one when columns before it become narrower. A column scrolled
 * out of sight stays there. Returns the end of the watch.
 */
export function keepUncovered(pane: HTMLElement, source: string): () => void {
  const watch = new ResizeObserver(() => {
    const place = placeOf(pane, source);
    if (place === null) return;
    const isCovered = place.from < pane.scrollLeft && place.from + place.head.offsetWidth > pane.scrollLeft;
    if (isCovered) columnIntoSight(pane, source);
  });
  for (const head of pane.querySelectorAll('th')) watch.observe(head);
  return () => watch.disconnect();
}
