/** Arranges the tabs of a window: on two sides, and in groups with a name and a colour. Pure. */
import { cutText } from '../../electron/shared/cut-text.ts';
import { isObject } from './records.ts';

/** Fields of a tab that determine its place. */
export interface PlacedTab {
  readonly id: string;
  /** Whether the tab is on the right side of a split window. */
  isRight?: boolean;
  groupId?: string;
}

export interface TabGroup {
  readonly id: string;
  name: string;
  colour: GroupColour;
  /** Only the active tab of a collapsed group is visible. */
  isFolded: boolean;
}

/** Group colours by name, with the numbers of the chart colours. */
export const GROUP_COLOURS = {
  blue: 1,
  amber: 2,
  green: 3,
  pink: 4,
  orange: 6,
  grey: 8,
} as const;
export type GroupColour = keyof typeof GROUP_COLOURS;
const COLOURS = Object.keys(GROUP_COLOURS) as readonly GroupColour[];

export const MAX_GROUP_NAME = 40;
/** MIME type of a drag operation; its data is the id of a tab. */
export const TAB_DRAG = 'application/x-spandeck-tab';

/** Reads stored groups; invalid ones are ignored. */
export function readGroups(stored: unknown): TabGroup[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each: unknown) => {
    if (!isObject(each)) return [];
    const { id, name, isFolded } = each;
    const colour = COLOURS.find((known) => known === each['colour']);
    if (typeof id !== 'string' || typeof name !== 'string' || colour === undefined) return [];
    return [{ id, name: cutText(name, MAX_GROUP_NAME), colour, isFolded: isFolded === true }];
  });
}

/** The colour that the fewest groups use. */
export function nextColour(groups: readonly TabGroup[]): GroupColour {
  const used = (colour: GroupColour) => groups.filter((group) => group.colour === colour).length;
  return COLOURS.toSorted((a, b) => used(a) - used(b))[0] ?? 'blue';
}

export const isSameSide = (a: PlacedTab, b: PlacedTab): boolean =>
  (a.isRight === true) === (b.isRight === true);

/** Moves a tab to one of the sides. The left side is the default and is not stored. */
export function onSide<T extends PlacedTab>({ isRight: _, ...tab }: T, isRight: boolean): T {
  return (isRight ? { ...tab, isRight } : tab) as T;
}

/** Moves a tab to a group, or out of its group. */
export function inGroup<T extends PlacedTab>({ groupId: _, ...tab }: T, groupId: string | null): T {
  return (groupId === null ? tab : { ...tab, groupId }) as T;
}

/** The same tabs, with the tabs of each group adjacent and on one side, at the position of the first one. */
export function gathered<T extends PlacedTab>(tabs: readonly T[]): T[] {
  const seen = new Set<string>();
  return tabs.flatMap((tab) => {
    const { groupId } = tab;
    if (groupId === undefined) return [tab];
    if (seen.has(groupId)) return [];
    seen.add(groupId);
    const isRight = tab.isRight === true;
    return tabs.filter((each) => each.groupId === groupId).map((each) => onSide(each, isRight));
  });
}

/** Parts of a tab strip in order: headings of groups, and tabs. A collapsed group shows only its active tab. */
export type StripPart<T> = { group: TabGroup; count: number } | { tab: T; group: TabGroup | null };

export function stripOf<T extends PlacedTab>(
  tabs: readonly T[],
  groups: readonly TabGroup[],
  shownId: string | null,
): StripPart<T>[] {
  let last: string | undefined;
  return tabs.flatMap((tab): StripPart<T>[] => {
    const group = groups.find(({ id }) => id === tab.groupId) ?? null;
    const isFirst = group !== null && group.id !== last;
    last = group?.id;
    const count = tabs.filter(({ groupId }) => groupId === group?.id).length;
    const head = isFirst && group !== null ? [{ group, count }] : [];
    return group?.isFolded === true && tab.id !== shownId ? head : [...head, { tab, group }];
  });
}
