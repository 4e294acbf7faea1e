/**
 * Finds settings that match a typed text, with the positions of the matches. Also converts numbers to positions of a
 * slider. Pure.
 */
import type { TextRange } from '../../electron/shared/search-contract.ts';
import { type NumberRow, SETTING_CATEGORIES, UNITS } from '../../electron/shared/setting-rows.ts';
import { SETTINGS_TABLE } from '../../electron/shared/settings-table.ts';

export type Setting = (typeof SETTINGS_TABLE)[number];

interface FoundSetting {
  row: Setting;
  inName: readonly TextRange[];
  inEffect: readonly TextRange[];
}

interface FoundCategory {
  id: (typeof SETTING_CATEGORIES)[number]['id'];
  title: string;
  found: readonly FoundSetting[];
}

/** The categories in order, with the settings that contain every typed word. `isWanted` can exclude settings. */
export function findSettings(
  typed: string,
  isWanted: (row: Setting) => boolean = () => true,
): FoundCategory[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return SETTING_CATEGORIES.map(({ id, title }) => {
    const rows = SETTINGS_TABLE.filter((row) => row.category === id && isWanted(row));
    const found = rows.filter((row) => {
      const text = [row.name, row.effect, row.keywords ?? '', row.key].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return {
      ...{ id, title },
      found: found.map((row) => ({
        row,
        inName: rangesOf(row.name, words),
        inEffect: rangesOf(row.effect, words),
      })),
    };
  });
}

/** Positions of all words, in order and without overlap. */
function rangesOf(text: string, words: readonly string[]): TextRange[] {
  const lower = text.toLowerCase();
  const places = words.flatMap((word) => {
    const found: TextRange[] = [];
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
      found.push([at, at + word.length]);
    return found;
  });
  const ordered = places.toSorted(([a], [b]) => a - b);
  return ordered.filter(
    ([start], index) => start >= Math.max(0, ...ordered.slice(0, index).map(([, end]) => end)),
  );
}

/** Number of positions of a slider. */
export const SLIDER_STEPS = 200;

/** Whether the slider uses a logarithmic scale. In wide ranges, 10 to 100 takes as much space as 100 to 1,000. */
function isByPowers({ min, max }: NumberRow): boolean {
  return min === 0 || max / min >= 100;
}

function leastOf(row: NumberRow): number {
  return row.min === 0 ? Math.min(row.default, UNITS[row.unit]) / 2 : row.min;
}

/** Slider position of a stored value, from 0 to SLIDER_STEPS. */
export function sliderPosition(row: NumberRow, stored: number): number {
  if (!isByPowers(row)) return Math.round(((stored - row.min) / (row.max - row.min)) * SLIDER_STEPS);
  const least = leastOf(row);
  if (stored <= least) return 0;
  return Math.round((Math.log(stored / least) / Math.log(row.max / least)) * SLIDER_STEPS);
}

/** The stored value at a slider position. In wide ranges it is a round number of whole units. */
export function sliderValue(row: NumberRow, position: number): number {
  if (position <= 0) return row.min;
  if (position >= SLIDER_STEPS) return row.max;
  if (position === sliderPosition(row, row.default)) return row.default;
  const unit = UNITS[row.unit];
  const exact = isByPowers(row)
    ? leastOf(row) * (row.max / leastOf(row)) ** (position / SLIDER_STEPS)
    : row.min + ((row.max - row.min) * position) / SLIDER_STEPS;
  const amount = exact / unit;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, amount))) - 1);
  const rounded = Math.max(1, Math.round(amount / power) * power) * unit;
  return Math.min(
    row.max,
    Math.max(row.min, row.isWhole ? Math.round(rounded) : Math.round(rounded * 100) / 100),
  );
}
