/** Charts and alert rules at the sample service: drawn, drawn again without it, created, changed, tested, deleted. */
import type { Page } from '@playwright/test';
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';

const AS_OF = /offline · as of (\w{3} )?\d{2}:\d{2}/;
const CHART = 'Traffic and drift';
const RULE = 'Fraud score drifts';

async function connect(page: Page, service: TestService): Promise<MonitoringPage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const monitoring = new MonitoringPage(page);
  await expect(monitoring.row('Applications', 'Support assistant')).toBeVisible();
  return monitoring;
}

/** Sends a request to the service directly, not through the application. */
async function ask(service: TestService, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return ((await answer.json()) as { data: Record<string, unknown> }).data;
}

interface Item {
  id: string;
  name: string;
  project: { id: string };
}

async function find(service: TestService, path: string, name: string): Promise<Item | undefined> {
  const { items } = (await ask(service, `${path}?limit=200`)) as unknown as { items: Item[] };
  return items.find((item) => item.name === name);
}

/** Returns the traffic of the last 30 days from the service, the oldest day first. */
async function trafficOf(service: TestService): Promise<(number | null)[]> {
  const model = await find(service, '/v3/models', 'Card fraud');
  const { results } = (await ask(service, '/v3/queries', {
    project_id: model?.project.id,
    query_type: 'MONITORING',
    filters: { time_label: '30d', bin_size: 'Day', time_zone: 'UTC' },
    queries: [{ query_key: 'q', model_id: model?.id, metric: 'traffic' }],
  })) as unknown as { results: { q: { data: [string, number | null][] } } };
  return results.q.data.map(([, value]) => value);
}

const cellOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : value.toLocaleString('en-US');

async function drawChart(page: MonitoringPage): Promise<void> {
  await page.go('Charts');
  await expect(page.view).toContainText('No saved charts yet');
  await page.button('New chart').first().click();
  await page.pick('Model', /Card fraud/);
  await page.addMetric(/^Traffic/);
  await expect(page.chart).toBeVisible();
  await page.addMetric(/^Jensen-Shannon distance/);
  await expect(page.view).toContainText('Choose a column');
  await page.chooseColumns(2, ['amount', 'fraud_score']);
  await page.pick('Baseline of metric 2', /default_static_baseline/);
  await expect.poll(() => page.describe()).toMatch(/^3 series from /);
  await page.button('Save…').click();
  const dialog = page.page.getByRole('dialog', { name: 'Save the chart' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(CHART);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.heading).toHaveText(CHART);
}

interface Seen {
  chart: string;
  table: string[][];
  timeline: string;
  bin: string;
}

async function lookAtTimeline(page: MonitoringPage): Promise<Pick<Seen, 'timeline' | 'bin'>> {
  await page.go('Alert rules');
  await expect(page.row('Alert rules', RULE)).toContainText(/Critical|Warning|Normal/);
  await page.row('Alert rules', RULE).dblclick();
  await expect(page.heading).toHaveText(RULE);
  const timeline = await page.describeWhole();
  expect(timeline).toContain('Critical threshold');
  expect(timeline).toContain('Jensen-Shannon distance · fraud_score');
  await page.button('Earlier alert').click();
  await expect(page.chosenBin).toContainText(
    /(Critical|Warning).*Thresholds of this bin:.*Warning.*Critical/s,
  );
  return { timeline, bin: await page.chosenBin.innerText() };
}

async function expectDrawnAgain(page: MonitoringPage, seen: Seen): Promise<void> {
  await page.tab(CHART).click();
  await expect(page.heading).toHaveText(CHART);
  await page.expectAge(AS_OF);
  await expect.poll(() => page.describe()).toBe(seen.chart);
  expect(await page.tableRows(CHART, seen.table.length)).toEqual(seen.table);
  await page.tab(RULE).click();
  await page.expectAge(AS_OF);
  await expect.poll(() => page.describe()).toBe(seen.timeline);
  await expect(page.chosenBin).toHaveText(seen.bin, { useInnerText: true });
}

test('draws a metric chart and an alert timeline, also with the service stopped', async ({
  shared,
  service,
}) => {
  const { page: window } = shared;
  const page = await connect(window, service);
  await drawChart(page);

  const chart = await page.describeWhole();
  expect(chart).toMatch(/Traffic: \d+ values.*Jensen-Shannon distance · amount: \d+ values/s);
  const table = await page.tableRows(CHART, 12);
  const traffic = await trafficOf(service);
  expect(table.map(([, value]) => value)).toEqual(traffic.slice(0, 12).map(cellOf));

  await test.step('the chart by keyboard: move, zoom, back, hide a series', async () => {
    // If the chart was redrawn in the meantime, no time is selected.
    await expect(async () => {
      await page.chart.press('Home');
      const chosen = /UTC; Traffic [\d,]+|UTC; Traffic no value/;
      await expect(page.chart).toHaveAttribute('aria-valuetext', chosen, { timeout: 2_000 });
    }).toPass();
    await window.keyboard.press('End');
    await window.keyboard.press('+');
    await expect(page.button('Reset zoom')).toBeVisible();
    await expect.poll(() => page.describe()).not.toBe(chart);
    await window.keyboard.press('0');
    await expect(page.button('Reset zoom')).toHaveCount(0);
    const legend = page.view.getByRole('list', { name: 'Series' }).getByRole('button', { name: 'Traffic' });
    await legend.press('Enter');
    await expect(legend).toHaveAttribute('aria-pressed', 'false');
    await expect.poll(() => page.describe()).toMatch(/^2 series from /);
    await legend.press('Enter');
    await expect.poll(() => page.describe()).toBe(chart);
  });

  const seen: Seen = { chart, table, ...(await lookAtTimeline(page)) };
  await service.stop();
  await window.keyboard.press('Control+r');
  await expectDrawnAgain(page, seen);

  await test.step('a reloaded window draws the same', async () => {
    await window.reload();
    await expectDrawnAgain(page, seen);
  });
  await test.step('a saved chart opens from its list, and one that was never requested says so', async () => {
    await page.tab(CHART).click();
    await window.keyboard.press('Control+w');
    await page.go('Charts');
    await page.row('Charts', CHART).dblclick();
    await expect.poll(() => page.describe()).toBe(seen.chart);
    await page.view.getByRole('combobox', { name: 'Bin' }).selectOption('Hour');
    await expect(page.view.getByRole('alert')).toContainText(/not reached|refused|No answer/i);
  });

  await service.start();
  await page.expectBack();
  await expect(page.chart).toBeVisible();
});

async function fillRule(page: MonitoringPage, name: string): Promise<void> {
  const form = page.view.getByRole('form', { name: 'New alert rule' });
  await page.pick('In Model', /Card fraud/);
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('combobox', { name: 'Metric' }).fill('Average');
  await form.page().getByRole('option', { name: 'Average' }).click();
  await form.getByRole('button', { name: /^of Columns:/ }).click();
  await form.page().getByRole('checkbox', { name: 'amount' }).check();
  await form.page().keyboard.press('Escape');
  await form.getByRole('combobox', { name: 'What is watched' }).selectOption('time_period');
  await form.getByRole('combobox', { name: /^over Compared with/ }).selectOption('7');
  await form.getByRole('textbox', { name: 'Critical threshold' }).fill('0.1');
  await form.getByRole('textbox', { name: 'Warning threshold' }).fill('0.3');
  await form.getByRole('button', { name: 'Create alert rule' }).click();
  await expect(form).toContainText('would never come');
  await form.getByRole('textbox', { name: 'Warning threshold' }).fill('0.05');
  await form.getByRole('button', { name: 'Create alert rule' }).click();
  await expect(page.heading).toHaveText(name);
}

async function setAndTryNotification(page: MonitoringPage): Promise<void> {
  await page.view.getByRole('tab', { name: 'Notification' }).click();
  const emails = page.view.getByRole('textbox', { name: 'Emails' });
  await emails.fill('watch@example.invalid');
  await emails.press('Enter');
  await page.button('Set notification').click();
  await expect(page.button('Save changes')).toBeVisible();
  await page.button('Send a test').click();
  const results = page.view.getByRole('table', { name: 'Results of the test' });
  await expect(results.getByRole('row').nth(1)).toContainText(/email\s*watch@example\.invalid\s*SUCCESS/);
}

test('creates and changes a rule, tests its notification, and deletes it', async ({ shared, service }) => {
  const { page: window } = shared;
  const page = await connect(window, service);
  const name = 'Amounts against last week';
  await page.go('Alert rules');
  await page.button('New alert rule').click();
  await fillRule(page, name);
  const made = await find(service, '/v3/alert-rules', name);
  expect(made).toMatchObject({
    metric: { id: 'average' },
    feature_names: ['amount'],
    compare_to: 'time_period',
    compare_bin_delta: 7,
    critical_threshold: 0.1,
    warning_threshold: 0.05,
  });
  await expect.poll(() => page.describe()).toContain('Change against 7 bins before');

  await test.step('the form contains only fields that the interface can change', async () => {
    await page.button('Edit').click();
    const form = page.view.getByRole('form', { name: `Change ${name}` });
    await expect(form).toContainText('cannot be changed');
    await expect(form.getByRole('combobox', { name: 'Metric' })).toHaveCount(0);
    await form.getByRole('combobox', { name: 'Priority' }).selectOption('HIGH');
    await form.getByRole('textbox', { name: 'Critical threshold' }).fill('0.2');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expect(page.view).toContainText('critical above 0.2');
    expect(await find(service, '/v3/alert-rules', name)).toMatchObject({
      priority: 'HIGH',
      critical_threshold: 0.2,
      warning_threshold: 0.05,
    });
  });
  await setAndTryNotification(page);
  expect(await ask(service, `/v3/alert-rules/${made?.id}/notification`)).toMatchObject({
    emails: ['watch@example.invalid'],
  });

  await test.step('deleted only after its name is typed', async () => {
    await page.button('More').click();
    await window.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = window.getByRole('dialog', { name: `Delete ${name}` });
    await expect(dialog).toContainText('its notification');
    await expect(dialog.getByRole('button', { name: 'Delete alert rule' })).toBeDisabled();
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Delete alert rule' }).click();
    await expect(dialog).toBeHidden();
    expect(await find(service, '/v3/alert-rules', name)).toBeUndefined();
  });
});

test('changes several rules at once with a result for each, uses the outbox offline, and explains read-only', async ({
  shared,
  service,
}) => {
  const { page: window } = shared;
  const page = await connect(window, service);
  await page.go('Alert rules');
  const grid = page.grid('Alert rules');
  await expect(page.row('Alert rules', RULE)).toBeVisible();
  const changeThree = async () => {
    await grid.focus();
    await window.keyboard.press('Control+Home');
    await window.keyboard.press('Shift+ArrowDown');
    await window.keyboard.press('Shift+ArrowDown');
    await page.button('Change 3 rules').click();
  };
  await changeThree();
  await window.getByRole('menuitem', { name: 'Set priority to low' }).click();
  const plan = window.getByRole('dialog', { name: 'Set priority to low for 3 alert rules' });
  await expect(plan).toContainText('3 (Change an alert rule)');
  await expect(plan.getByRole('listitem')).toHaveCount(3);
  const names = await plan.getByRole('listitem').allInnerTexts();
  await plan.getByRole('button', { name: 'Set priority to low' }).click();
  await expect(page.view.getByRole('region', { name: 'Changing alert rules' })).toContainText(
    '3 alert rules changed',
  );
  await expect(plan).toBeHidden();
  for (const name of names)
    expect(await find(service, '/v3/alert-rules', name)).toMatchObject({ priority: 'LOW' });

  await page.row('Alert rules', RULE).dblclick();
  await expect(page.chart).toBeVisible();
  await page.offlineSwitch.click();
  await page.button('Edit').click();
  await expect(page.button('Put in outbox')).toBeVisible();
  await page.button('Cancel').click();
  await page.tab('Alert rules').click();
  await changeThree();
  await window.getByRole('menuitem', { name: 'Set priority to high' }).click();
  const offline = window.getByRole('dialog', { name: 'Set priority to high for 3 alert rules' });
  await expect(offline.getByRole('status')).toContainText('each change waits in the outbox');
  await offline.getByRole('button', { name: 'Cancel' }).click();
  await page.offlineSwitch.click();

  await page.fromConnectionMenu('Edit this connection…');
  const form = new ConnectionPage(window).form;
  await form.getByRole('checkbox', { name: /^Read-only/ }).check();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.tab(RULE).click();
  await page.button('Edit').click();
  await expect(page.view).toContainText('This connection is read-only: it cannot change anything.');
  await expect(page.button('Save changes')).toBeDisabled();
});
