/** Scrolls a table sideways until the heading of a column is visible beside the pinned first column. */
export function columnIntoSight(pane: HTMLElement, source: string): void {
  const head = [...pane.querySelectorAll('th')].find(({ dataset }) => dataset['source'] === source);
  const first = pane.querySelector('th');
  if (head === undefined || first === null) return;
  // In coordinates of the window, because pinned headings have no offset parent inside the pane.
  const [column, pinned, frame] = [head, first, pane].map((part) => part.getBoundingClientRect());
  if (column === undefined || pinned === undefined || frame === undefined) return;
  const hiddenAtStart = pinned.right - column.left;
  const hiddenAtEnd = column.right - (frame.left + pane.clientLeft + pane.clientWidth);
  if (hiddenAtStart > 0) pane.scrollLeft -= hiddenAtStart;
  // If a column is wider than the pane, its start is shown.
  else if (hiddenAtEnd > 0) pane.scrollLeft += Math.min(hiddenAtEnd, -hiddenAtStart);
}
