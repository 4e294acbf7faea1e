/** The window keeps nothing of views that were closed, however often they are opened. */
import { type HeldMemory, measureHeld } from '../helpers/held-memory.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { forEachPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

const ROUNDS = 4;

const isFlat = (before: HeldMemory, after: HeldMemory): boolean =>
  after.listeners - before.listeners <= 5 && after.nodes - before.nodes <= 500;

/**
 * A view that is still loading during one measurement holds more or fewer listeners than in the next one. Therefore
 * the test fails only if every round adds some, as a leak does.
 */
test('opening every view again leaves no nodes and listeners behind', async ({ shared, service }) => {
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const openAll = () => forEachPlace(page, () => Promise.resolve());
  // The first rounds create objects that exist once, such as menus, templates and the rows that grids use again.
  await openAll();
  await openAll();
  const measured = [await measureHeld(page)];
  const isFlatRound = () => measured.some((after, at) => at > 0 && isFlat(measured[at - 1] ?? after, after));
  while (!isFlatRound() && measured.length <= ROUNDS) {
    await openAll();
    measured.push(await measureHeld(page));
  }
  const { listeners, nodes } = {
    listeners: measured.map((each) => each.listeners),
    nodes: measured.map((each) => each.nodes),
  };
  expect(isFlatRound(), `listeners ${listeners.join(', ')}; nodes ${nodes.join(', ')}`).toBe(true);
});
