/** Pages of a list that is read piece by piece: the pages that a view needs now and next. Pure. */
export const PAGE = 100;

/** The visible rows; `end` is exclusive. */
interface View {
  first: number;
  end: number;
}

/** Numbers of the pages with visible rows. An empty list has one page. */
export function pagesOf({ first, end }: View, count: number): number[] {
  const from = Math.floor(first / PAGE);
  const to = Math.floor(Math.max(first, Math.min(end, count) - 1) / PAGE);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Whether a page is visible or adjacent to a visible one. */
export function isNear(page: number, { first, end }: View, count: number): boolean {
  const last = Math.floor(Math.max(first, Math.min(end, count) - 1) / PAGE);
  return page >= Math.floor(first / PAGE) - 1 && page <= last + 1;
}

/** The page that scrolling will reach next; null if the view does not scroll, jumps, or is near an end. */
export function pageAhead(before: View, view: View, count: number): number | null {
  const moved = view.first - before.first;
  if (moved === 0 || Math.abs(moved) > PAGE) return null;
  const page = Math.floor((moved > 0 ? view.end - 1 : view.first) / PAGE) + Math.sign(moved);
  return page >= 0 && page * PAGE < count ? page : null;
}

/** Index in a page of its first missing row; null if all are loaded. */
export function firstMissing(page: number, rows: readonly unknown[], count: number): number | null {
  const from = page * PAGE;
  for (let index = from; index < Math.min(count, from + PAGE); index += 1) {
    if (rows[index - from] === undefined) return index;
  }
  return null;
}
