/**
 * A saved view: the contents of a tab and the layout of its grid, under a name. It can also be shared as a link
 * (`spandeck://view/…`) or as text. It contains names, ids, filters and times, never a token, and opening it changes
 * nothing.
 */
import { columnFilters } from './analysis-model.ts';
import * as z from './zod.ts';

/** Kinds of tabs with rows that can be saved. */
export const VIEW_KINDS = [
  'catalog',
  'values',
  'attributes',
  'datasets',
  'dataset',
  'spans',
  'trace',
  'sql',
  'alert-rules',
  'alert-rule',
  'board',
  'resources',
  'resource',
  'changes',
  'jobs',
  'search',
] as const;
export type ViewKind = (typeof VIEW_KINDS)[number];

export const VIEW_LINK = 'spandeck://view/';
export const MAX_VIEW_CHARACTERS = 16_000;
export const MAX_NAME = 100;

const name = z.string().trim().min(1).max(MAX_NAME);
const id = z.string().min(1).max(500);
const ids = z.array(id).max(1_000);

const viewGrid = z.strictObject({
  /** Name of the list in the tab, e.g. `entities`. */
  list: z.string().min(1).max(500),
  layout: z.strictObject({
    order: ids,
    widths: z.record(id, z.number().min(1).max(2_000)),
    hidden: ids,
    shown: ids.optional(),
    pinned: ids.nullable(),
  }),
  sort: z.strictObject({ field: id, isDescending: z.boolean() }).nullable(),
  /** The text filter of the grid. */
  narrow: z.string().max(1_000),
  filters: columnFilters,
});

const viewContent = z.strictObject({
  kind: z.enum(VIEW_KINDS),
  /** Title of the tab. */
  title: z.string().min(1).max(200),
  /** Contents of the tab: ids, filters, a time range. */
  params: z.record(z.string().min(1).max(100), z.string().max(MAX_VIEW_CHARACTERS)),
  grid: viewGrid.nullable(),
});
export type ViewContent = z.infer<typeof viewContent>;
export type ViewGrid = z.infer<typeof viewGrid>;

const narrowing = viewGrid.pick({ narrow: true, filters: true });
/** The filters of a list as kept with its tab; none if they are unreadable. */
export function narrowingOf(kept: unknown): z.infer<typeof narrowing> {
  return narrowing.safeParse(kept).data ?? { narrow: '', filters: [] };
}

/** The form stored with the connection, and in a pack. */
export const savedView = viewContent.extend({
  id: z.string().min(1).max(100),
  name: z.string().min(1).max(MAX_NAME),
  isStarred: z.boolean(),
  savedAtMs: z.number(),
});
export type SavedView = z.infer<typeof savedView>;

/** Key of the saved views in the window's state for a connection. */
export const VIEWS_KEY = 'views';
export const MAX_VIEWS = 200;

/** The stored views that are readable. */
export function viewsOf(kept: unknown): SavedView[] {
  return (Array.isArray(kept) ? kept : []).flatMap((each) => savedView.safeParse(each).data ?? []);
}

export const sharedView = z.strictObject({
  format: z.literal('spandeck-view'),
  version: z.literal(1),
  name,
  /** Address of the service for which the view was created; the ids in it are meaningful only there. */
  service: z.string().max(500),
  view: viewContent,
});
export type SharedView = Pick<z.infer<typeof sharedView>, 'name' | 'service' | 'view'>;

/** Whether a parameter describes only the present use of a tab: a draft, the reading progress, an open form. */
const isPassing = (key: string) => /^(draft|mode|step|read_.*|was_.*)$/.test(key);

/** The parameters of a tab that are saved in a view. */
export function keptParams(params: Readonly<Record<string, string>>): Record<string, string> {
  const { wanted_range: wanted, ...rest } = params;
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !isPassing(key)));
  return wanted === undefined ? kept : { ...kept, range: wanted };
}

/** Whether this is meant as the link of a view. */
export const isViewLink = (text: string): boolean => text.toLowerCase().startsWith('spandeck://view');
