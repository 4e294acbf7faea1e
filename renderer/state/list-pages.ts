/** Pages of a list that is read window by window: which ones a view needs, and which one it will. Pure. */
export const PAGE = 100;

/** Rows in view; `end` is not included. */
interface View {
  first: number;
  end: number;
}

/** Numbers of the pages that hold rows in view; one page where the list is empty. */
export function pagesOf({ first, end }: View, count: number): number[] {
  const from = Math.floor(first / PAGE);
  const to = Math.floor(Math.max(first, Math.min(end, count) - 1) / PAGE);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Is a page in view, or the one before or after? */
export function isNear(page: number, { first, end }: View, count: number): boolean {
  const last = Math.floor(Math.max(first, Math.min(end, count) - 1) / PAGE);
  return page >= Math.floor(first / PAGE) - 1 && page <= last + 1;
}

/** The page that scrolling on comes to next; null where a view rests, jumps, or nears an end. */
export function pageAhead(before: View, view: View, count: number): number | null {
  const moved = view.first - before.first;
  if (moved === 0 || Math.abs(moved) > PAGE) return null;
  const page = Math.floor((moved > 0 ? view.end - 1 : view.first) / PAGE) + Math.sign(moved);
  return page >= 0 && page * PAGE < count ? page : null;
}

/** Place of the first row of a page that is not here; null where all are. */
export function firstMissing(page: number, rows: readonly unknown[], count: number): number | null {
  const from = page * PAGE;
  for (let index = from; index < Math.min(count, from + PAGE); index += 1) {
    if (rows[index - from] === undefined) return index;
  }
  return null;
}
