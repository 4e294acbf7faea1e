/** How tabs stand in their strips: on two sides, and in groups that have a name and a colour. Pure. */
import { isObject } from './records.ts';

/** What of a tab says where it stands. */
export interface PlacedTab {
  readonly id: string;
  /** It stands at the right, where two tabs are shown side by side. */
  isRight?: boolean;
  /** The group it is in. */
  groupId?: string;
}

export interface TabGroup {
  readonly id: string;
  name: string;
  colour: GroupColour;
  /** Of its tabs only the shown one is in sight. */
  isFolded: boolean;
}

/** Colours of groups, as the colours of charts are numbered, by what a person calls them. */
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

export const MOST_GROUP_NAME = 40;
/** Kind of what is dragged: the id of a tab. */
export const TAB_DRAG = 'application/x-spandeck-tab';

/** Groups as they were kept; what is none is left out. */
export function readGroups(stored: unknown): TabGroup[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each: unknown) => {
    if (!isObject(each)) return [];
    const { id, name, isFolded } = each;
    const colour = COLOURS.find((known) => known === each['colour']);
    if (typeof id !== 'string' || typeof name !== 'string' || colour === undefined) return [];
    return [{ id, name: name.slice(0, MOST_GROUP_NAME), colour, isFolded: isFolded === true }];
  });
}

/** The colour that the fewest groups have. */
export function nextColour(groups: readonly TabGroup[]): GroupColour {
  const used = (colour: GroupColour) => groups.filter((group) => group.colour === colour).length;
  return COLOURS.toSorted((a, b) => used(a) - used(b))[0] ?? 'blue';
}

export const isSameSide = (a: PlacedTab, b: PlacedTab): boolean =>
  (a.isRight === true) === (b.isRight === true);

/** A tab on one of the sides; at the left nothing is said of it. */
export function onSide<T extends PlacedTab>({ isRight: _, ...tab }: T, isRight: boolean): T {
  return (isRight ? { ...tab, isRight } : tab) as T;
}

/** A tab in a group, or in none. */
export function inGroup<T extends PlacedTab>({ groupId: _, ...tab }: T, groupId: string | null): T {
  return (groupId === null ? tab : { ...tab, groupId }) as T;
}

/** The same tabs, those of a group beside each other and on one side: where its first one stands. */
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

/** What stands in a strip, in order: heads of groups and tabs. Of a folded group only the tab that is shown. */
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
