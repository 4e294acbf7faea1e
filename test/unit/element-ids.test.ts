/** Two views of one kind stand side by side: an id that is written out would be there twice. */
import { expect, test } from 'vitest';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

/** Of a key, which is no element. */
const NO_ELEMENT = /<PartKey id="/g;
const WRITTEN_OUT = /[\s(]id="[A-Za-z][^"]*"/g;
/** There once, whatever is shown: the navigation and the strip of tabs, whose tabs have ids of their own. */
const ONCE = ['renderer/components/Sidebar.svelte', 'renderer/components/TabStrip.svelte'];

test('ids of elements are made for each component that is shown', () => {
  const found = sourceFiles('renderer')
    .filter((path) => path.endsWith('.svelte') && !ONCE.includes(path))
    .flatMap((path) =>
      [...textOf(path).replaceAll(NO_ELEMENT, '').matchAll(WRITTEN_OUT)].map(([id]) => `${path}:${id}`),
    );
  expect(found).toEqual([]);
});
