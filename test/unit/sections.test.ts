import { expect, test } from 'vitest';
import { TAB_KINDS } from '../../renderer/lib/tab-kinds.ts';
import { PLACES } from '../../renderer/views/sections.ts';
import { VIEWS } from '../../renderer/views/views.ts';

test('lists the place of every view in a section', () => {
  const named = TAB_KINDS.flatMap((kind) => {
    const { place } = VIEWS[kind];
    return typeof place === 'string' ? [place] : [];
  });
  expect(named.filter((place) => !PLACES.some(({ id }) => id === place))).toEqual([]);
});
