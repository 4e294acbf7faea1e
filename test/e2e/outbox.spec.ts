/** Changes made offline wait, are compared with the state of the service, are decided, and are sent once. */

import { openPlace, sidebarLine } from '../helpers/places.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { connect, findAt } from '../helpers/resources-at-service.ts';

const DATASET = 'Claims triage, edge cases';

/** Another user changes the record in the meantime. */
async function othersSet({ baseUrl, token }: TestService, id: string, body: object): Promise<void> {
  const answer = await fetch(`${baseUrl}/v3/evals/datasets/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

const patches = ({ now }: TestService) => now.report().operations['datasets.update']?.requests ?? 0;

test("shows an offline edit beside the service's change, and sends mine once", async ({
  shared,
  service,
}) => {
  const { page } = shared;
  const bench = await connect(page, service);
  await bench.open('Datasets');
  await bench.grid('Datasets').getByRole('gridcell', { name: DATASET }).dblclick();
  await expect(bench.heading).toHaveText(DATASET);
  await bench.tab('Details').click();
  await bench.button('Edit').click();
  const form = bench.form(`Change ${DATASET}`);
  await expect(bench.field(form, 'Description')).toBeVisible();
  await bench.offlineSwitch.click();
  await bench.field(form, 'Description').fill('Mine');
  await form.getByRole('button', { name: 'Put in outbox' }).click();
  await expect(bench.view.getByText('An edit of this record waits in the outbox.')).toBeVisible();
  expect(patches(service)).toBe(0);

  await test.step('references a project that does not exist yet in a new application', async () => {
    await bench.open('Projects');
    await bench.button('New project').click();
    const project = bench.form('New project');
    await bench.field(project, 'Name').fill('Made on a plane');
    await project.getByRole('button', { name: 'Put in outbox' }).click();
    await bench.open('Applications');
    await bench.button('New application').click();
    const application = bench.form('New application');
    await bench.field(application, 'Name').fill('Assistant of a plane');
    await bench.pick(application, 'Project', /Made on a plane/);
    await application.getByRole('button', { name: 'Put in outbox' }).click();
  });

  const { id } = (await findAt(service, 'evals/datasets', DATASET)) as { id: string };
  await othersSet(service, id, { description: 'Theirs' });

  const outbox = sidebarLine(page, 'Activity');
  await expect(outbox).toHaveAccessibleName('Activity, 3 waiting');
  await openPlace(page, 'Outbox');
  await bench.offlineSwitch.click();
  await bench.button('Send 3 changes').click();
  const conflict = bench.view.getByRole('article', { name: new RegExp(DATASET) });
  await expect(conflict).toContainText('Needs a decision');
  await expect(bench.view.getByRole('region', { name: /^Sent or discarded/ })).toContainText(
    'Assistant of a plane',
  );
  expect(patches(service)).toBe(1);
  await conflict.getByRole('button', { name: new RegExp(DATASET) }).click();
  await expect(conflict.getByRole('row', { name: /description/ })).toHaveText(/Mine.*Theirs/);
  await conflict.getByRole('button', { name: 'Send mine' }).click();
  await expect(conflict).toContainText('Sent and answered');
  await expect(outbox).toHaveAccessibleName('Activity');
  expect(patches(service)).toBe(2);
  expect(await findAt(service, 'evals/datasets', DATASET)).toMatchObject({ description: 'Mine' });
  const made = (await findAt(service, 'projects', 'Made on a plane')) as { id: string };
  expect(await findAt(service, 'applications', 'Assistant of a plane')).toMatchObject({
    project: { id: made.id },
  });
});
