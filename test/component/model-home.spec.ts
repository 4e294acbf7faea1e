/** The home page of a model, and the columns of the list of models. */
import type { Page } from '@playwright/test';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const models = (page: Page) => page.getByRole('grid', { name: 'Models' });
const home = (page: Page) => page.getByRole('region', { name: 'Overview of Bank churn' });

async function openHome(page: Page): Promise<void> {
  await section(page, 'Models');
  await models(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bank churn');
}

/** Views that requested the traffic of models, and the views whose requests were cancelled. */
async function trafficOf(page: Page): Promise<{ asked: string[]; released: string[] }> {
  const asked = (await callsOf(page, 'library:open-record')).filter(
    ({ argument: { query } }) => (query as ListQuery).operation === 'queries.run',
  );
  const idsOf = (calls: typeof asked) => calls.map(({ argument: { viewId } }) => String(viewId));
  return {
    asked: idsOf(asked),
    released: idsOf(await callsOf(page, 'library:release')).filter((id) => id.includes('.traffic.')),
  };
}

test('shows the traffic of each model in the list, and cancels its requests with the view', async ({
  open,
}) => {
  const page = await open();
  await section(page, 'Models');
  await expect(
    models(page)
      .getByRole('row')
      .nth(1)
      .getByRole('img', { name: /^Events a day of .+, as of / }),
  ).toBeVisible();
  const { asked } = await trafficOf(page);
  expect(asked.length).toBeGreaterThan(0);
  await section(page, 'Charts');
  await expect.poll(async () => (await trafficOf(page)).released.toSorted()).toEqual(asked.toSorted());
});

test('opens the home of a model by Enter: traffic, alerts, columns and parts, each with a link to all of it', async ({
  open,
}) => {
  const page = await open();
  await openHome(page);
  await expect(home(page).getByRole('img', { name: 'Events a day of Bank churn' })).toBeVisible();
  await expect(home(page)).toContainText(/[\d.,]+ events a day, 30 days/);
  await expect(home(page).getByRole('row', { name: /CreditScore input int 300 to 850/ })).toBeVisible();
  await expect(home(page).getByRole('row', { name: /Geography input category France, Spain/ })).toBeVisible();
  for (const [link, tab] of [
    ['All columns', /^Schema/],
    ['All environments', /^Environments/],
    ['All baselines', /^Baselines/],
    ['All custom metrics', /^Custom metrics/],
    ['All alert rules', /^Alert rules/],
  ] as const) {
    await home(page).getByRole('button', { name: link }).click();
    await expect(page.getByRole('tab', { name: tab, selected: true }).last()).toBeVisible();
    // Records of this part are created in another view, and the button that leads there is kept.
    if (link === 'All alert rules')
      await expect(page.getByRole('main').getByRole('button', { name: 'New alert rule' })).toBeVisible();
    await page.getByRole('tab', { name: 'Overview' }).click();
  }
  await home(page).getByRole('button', { name: 'All charts' }).click();
  await expect(page.getByRole('tab', { name: 'Bank churn board', selected: true })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Board', exact: true })).toHaveValue('Bank churn');
  await page.getByRole('tab', { name: 'Bank churn', exact: true }).first().click();
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeHidden();
  await expect(page.getByRole('region', { name: 'Fields of Bank churn' }).last()).toContainText('Project');
});

test('begins an alert rule for the model of its home', async ({ open }) => {
  const page = await open();
  await openHome(page);
  await page.getByRole('button', { name: 'New alert rule' }).first().click();
  const form = page.getByRole('form', { name: 'New alert rule' });
  await expect(form.getByRole('combobox', { name: 'In Model', exact: true })).toHaveValue('Bank churn');
  await expect(form.getByRole('combobox', { name: 'Metric' })).toBeVisible();
});

for (const [name, scenario, says] of [
  ['without events', { metrics: 'empty' }, /No events in the last 30 days/],
  ['while traffic is not available', { metrics: 'broken' }, /Traffic of the last 30 days is not available/],
  [
    'offline without stored traffic',
    { metrics: 'not-stored', network: 'switched-off' },
    /Traffic of the last 30 days is not available/,
  ],
] as const satisfies readonly (readonly [string, Scenario, RegExp])[]) {
  test(`shows a message in place of traffic in the home of a model ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openHome(page);
    await expect(home(page)).toContainText(says);
    await expect(home(page).getByRole('row', { name: /CreditScore/ })).toBeVisible();
  });
}

for (const [name, scenario, says] of [
  ['failed', { summary: 'broken' }, 'nothing listens there'],
  ['are not stored', { summary: 'not-stored', network: 'switched-off' }, 'not available offline'],
] as const satisfies readonly (readonly [string, Scenario, string])[]) {
  test(`says of no model that it has no rules, and of no rule that it did not fire, if the latest alerts ${name}`, async ({
    open,
  }) => {
    const page = await open(scenario);
    await section(page, 'Alert rules');
    await expect(page.getByRole('grid', { name: 'Alert rules' }).getByRole('row').nth(1)).not.toHaveText('');
    await expect(page.getByRole('radio', { name: 'Fired', exact: true })).toBeVisible();
    await openHome(page);
    const alerts = home(page).getByRole('region', { name: 'Alerts' });
    await expect(alerts).toContainText(says);
    await expect(alerts).not.toContainText('No alert rule');
    await section(page, 'Models');
    await expect(models(page).getByRole('row').nth(1)).toContainText('–');
    await expect(models(page)).not.toContainText('no rules');
  });
}

/** Operations that were requested from the service again. */
async function refreshed(page: Page): Promise<string[]> {
  const calls = [
    ...(await callsOf(page, 'library:open-record')),
    ...(await callsOf(page, 'library:open-list')),
  ];
  const again = calls.filter(({ argument: { refresh } }) => refresh === 'always');
  return again.map(({ argument: { query } }) => (query as ListQuery).operation).toSorted();
}

test('refreshes all parts of the home of a model with its record, and the record alone after Details is chosen', async ({
  open,
}) => {
  const page = await open();
  await openHome(page);
  await expect(home(page).getByRole('img', { name: 'Events a day of Bank churn' })).toBeVisible();
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  const all = [
    ...['alert-rules.summary', 'models.baselines', 'models.custom-metrics'],
    ...['models.environments', 'models.get', 'queries.run'],
  ];
  await expect.poll(() => refreshed(page)).toEqual(all);
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('region', { name: 'Fields of Bank churn' }).last()).toBeVisible();
  await page.keyboard.press('ControlOrMeta+r');
  await expect.poll(() => refreshed(page)).toEqual([...all, 'models.get'].toSorted());
});

test('refreshes the traffic and the alerts of the list of models with its rows', async ({ open }) => {
  const page = await open();
  await section(page, 'Models');
  await expect(
    models(page)
      .getByRole('img', { name: /^Events a day/ })
      .first(),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await expect
    .poll(async () => [...new Set(await refreshed(page))])
    .toEqual(['alert-rules.summary', 'models.list', 'queries.run']);
});

test('shows stored alerts of a model with their age and the failure of their refresh', async ({ open }) => {
  const page = await open({ summary: 'failed' });
  await openHome(page);
  const alerts = home(page).getByRole('region', { name: 'Alerts' });
  await expect(alerts).toContainText(/^Alerts\s*as of /);
  await expect(alerts).toContainText('Not refreshed. Expected an answer');
});

test('shows stored rows of the parts of a model with their age and the failure of their refresh', async ({
  open,
}) => {
  const page = await open({ lists: 'failed' });
  await openHome(page);
  const part = home(page).getByRole('region', { name: 'Environments' });
  await expect(part).toContainText(/^Environments\s*\d+, as of /);
  await expect(part).toContainText('Not refreshed. Expected an answer');
});

test('shows names and figures of models whole in a small window', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await section(page, 'Models');
  const row = models(page).getByRole('row', { name: /^Auto insurance value/ });
  await expect(row.locator('.model-traffic .numbers')).toBeVisible();
  const cells = await row
    .getByRole('gridcell')
    .evaluateAll((all) => all.slice(0, 2).map((cell) => cell.scrollWidth - cell.clientWidth));
  expect(cells).toEqual([0, 0]);
  const [figure, cell] = await row
    .locator('.model-traffic .numbers')
    .evaluate((numbers) => [
      numbers.getBoundingClientRect().right,
      numbers.closest('[role=gridcell]')?.getBoundingClientRect().right ?? 0,
    ]);
  // The text has the same distance to the next column as in every other cell.
  expect((cell ?? 0) - (figure ?? 0)).toBeGreaterThanOrEqual(8);
});
