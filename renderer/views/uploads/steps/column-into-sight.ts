/** Scrolls a table horizontally until the head of a column is visible beside the pinned first column. */
export function columnIntoSight(pane: HTMLElement, source: string): void {
  const head = [...pane.querySelectorAll('th')].find(({ dataset }) => dataset['source'] === source);
  const first = pane.querySelector('th');
  if (head === undefined || first === null) return;
  const [from, to] = [head.offsetLeft - first.offsetWidth, head.offsetLeft + head.offsetWidth];
  if (from < pane.scrollLeft) pane.scrollLeft = from;
  else if (to > pane.scrollLeft + pane.clientWidth) pane.scrollLeft = Math.min(from, to - pane.clientWidth);
}
