/**
 * Contrast of the colours of the window, measured from tokens.css: 4.5:1 for text and 3:1 for shapes, in both themes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { windowColourOf } from '../../electron/platform/window-colour.ts';

const hex = '(#[0-9a-f]{6})';
type Pairs = ReadonlyMap<string, readonly [string, string]>;

/** Returns the colours of a stylesheet in light and dark, by name. */
function pairsOf(file: string): Pairs {
  const css = readFileSync(join(import.meta.dirname, '../../renderer/styles', file), 'utf8');
  const found = new Map<string, [string, string]>();
  for (const [, name = '', light = '', dark = ''] of css.matchAll(
    new RegExp(`--([\\w-]+): light-dark\\(${hex}, ${hex}\\);`, 'g'),
  )) {
    found.set(name, [light, dark]);
  }
  for (const [, name = '', both = ''] of css.matchAll(new RegExp(`--([\\w-]+): ${hex};`, 'g'))) {
    found.set(name, [both, both]);
  }
  return found;
}
const pairs = pairsOf('tokens.css');

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [bright, dim] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((bright ?? 0) + 0.05) / ((dim ?? 0) + 0.05);
}

function tooFaint(
  names: readonly string[],
  grounds: readonly string[],
  least: number,
  of: Pairs = pairs,
): string[] {
  return ([0, 1] as const).flatMap((theme) =>
    names.flatMap((name) =>
      grounds.flatMap((ground) => {
        const ratio = contrast(of.get(name)?.[theme] ?? '#000000', of.get(ground)?.[theme] ?? '#000000');
        return ratio < least
          ? [`${name} on ${ground}, ${theme === 0 ? 'light' : 'dark'}: ${ratio.toFixed(2)}`]
          : [];
      }),
    ),
  );
}

const SURFACES = ['surface-0', 'surface-1', 'surface-2', 'surface-3', 'surface-float'];
const STATES = ['ok', 'warn', 'bad', 'info', 'stale'];
const SOFT = ['accent-soft', ...STATES.map((state) => `${state}-soft`)];
const named = (prefix: string) => [...pairs.keys()].filter((name) => name.startsWith(prefix));

describe('colours', () => {
  test('are read from the file', () => expect(pairs.size).toBeGreaterThan(30));

  test('text is readable on every surface', () => {
    expect(tooFaint(['text-1', 'text-2', 'text-3'], SURFACES, 4.5)).toEqual([]);
  });

  test('text is readable on a selected row and on state backgrounds, states are readable on every surface', () => {
    expect(tooFaint(['text-1', 'text-2', 'text-3', 'accent-text', ...STATES], SOFT, 4.5)).toEqual([]);
    expect(tooFaint(['accent-text', ...STATES], SURFACES, 4.5)).toEqual([]);
  });

  test('selected text is readable', () => expect(tooFaint(['text-1'], ['selection'], 4.5)).toEqual([]));

  test('text is readable on filled buttons', () => {
    expect(tooFaint(['on-accent'], ['accent', 'accent-hover', 'bad-fill'], 4.5)).toEqual([]);
  });

  test('bars are distinct from their track', () => {
    expect(tooFaint(['accent', 'ok', 'warn', 'bad', 'info', 'text-3'], ['surface-3'], 3)).toEqual([]);
  });

  test('the accent as a shape is visible on every surface and on a selected row', () => {
    expect(tooFaint(['accent'], [...SURFACES, 'accent-soft'], 3)).toEqual([]);
  });

  test('series of charts are visible on the work area, on a selected row and on threshold backgrounds', () => {
    const series = named('chart-');
    expect(series).toHaveLength(8);
    const grounds = ['surface-0', 'surface-1', 'surface-2', 'surface-float'];
    expect(tooFaint(series, [...grounds, 'accent-soft', 'warn-soft', 'bad-soft'], 3)).toEqual([]);
  });

  test('edges of fields are visible wherever fields occur, and edges of controls too', () => {
    const grounds = ['surface-0', 'surface-1', 'surface-2', 'surface-float', ...SOFT];
    expect(tooFaint(['line-field'], grounds, 3)).toEqual([]);
    expect(tooFaint(['line-strong'], [...SURFACES, ...SOFT], 3)).toEqual([]);
  });

  test('the focus ring and the dots of connections are visible', () => {
    expect(tooFaint(['focus'], [...SURFACES, ...SOFT], 3)).toEqual([]);
    const dots = named('colour-');
    expect(dots).toHaveLength(8);
    expect(tooFaint(dots, [...SURFACES, 'accent-soft'], 3)).toEqual([]);
  });
});

describe('colours with more contrast', () => {
  const more: Pairs = new Map([...pairs, ...pairsOf('contrast.css')]);

  test('text 7:1 on every surface and background', () => {
    const text = ['text-1', 'text-2', 'text-3', 'accent-text', ...STATES];
    expect(tooFaint(text, [...SURFACES, ...SOFT], 7, more)).toEqual([]);
    expect(tooFaint(['on-accent'], ['accent', 'accent-hover', 'bad-fill'], 7, more)).toEqual([]);
    expect(tooFaint(['text-1'], ['selection'], 7, more)).toEqual([]);
  });

  test('edges, fields, the accent and the focus 4.5:1, hairlines 3:1', () => {
    const shapes = ['line-field', 'line-strong', 'accent', 'focus'];
    expect(tooFaint(shapes, [...SURFACES, ...SOFT], 4.5, more)).toEqual([]);
    expect(tooFaint(['line'], SURFACES, 3, more)).toEqual([]);
  });
});

test('a window has the background of its views before its page is loaded', () => {
  expect([windowColourOf(false), windowColourOf(true)]).toEqual(pairs.get('surface-1'));
});
