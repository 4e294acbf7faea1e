/** The window keeps nothing of views that were closed, however often they are opened. */
import { measureHeld } from '../helpers/held-memory.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { forEachPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

test('opening every view again leaves no nodes and listeners behind', async ({ shared, service }) => {
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const openAll = () => forEachPlace(page, () => Promise.resolve());
  // The first rounds create objects that exist once, such as menus, templates and the rows that grids use again.
  await openAll();
  await openAll();
  const before = await measureHeld(page);
  await openAll();
  const after = await measureHeld(page);
  expect(after.listeners - before.listeners).toBeLessThanOrEqual(5);
  expect(after.nodes - before.nodes).toBeLessThanOrEqual(500);
});
