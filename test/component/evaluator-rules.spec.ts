/**
 * Evaluator rules: their list, and the dry run on stored spans of an existing rule and of a new one before it is
 * created.
 */
import { openPlace } from '../helpers/places.ts';
import { violations, violationsInDark } from './accessibility.ts';
import { uuid } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { openSpans } from './span-steps.ts';

test('lists rules with their samples, and tries one on the stored spans', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Evaluator rules');
  const grid = page.getByRole('grid', { name: 'Evaluator rules' });
  await expect(grid.getByRole('row', { name: /Short drafts/ })).toContainText(/conciseness.*10 %/);
  await grid.getByRole('gridcell', { name: 'Short drafts' }).dblclick();
  const status = page.getByRole('status').filter({ hasText: 'stored spans' });
  await expect(status).toContainText('310 of 1,240 stored spans match, in 280 traces.');
  await expect(status).toContainText('4 of them lack an input.');
  await expect(status).toContainText('a 10 % sample of what matches: about 28 of 280 traces.');
  await expect(page.getByRole('region', { name: 'Inputs', exact: true })).toContainText(
    /response.*fiddler\.contents\.gen_ai\.llm\.output.*system\.gen_ai\.llm\.output.*4/,
  );
  const rows = page.getByRole('region', { name: 'Matching spans with their inputs' }).getByRole('row');
  await expect(rows.nth(1)).toContainText('Your parcel left the depot');
  await expect(rows.nth(4)).toContainText('missing');
  expect(await violations(page)).toEqual([]);
  await expect(page.getByRole('tab', { name: 'Details' })).toBeVisible();
  expect(await violationsInDark(page)).toEqual([]);
});

test('filters by the words shown for the state of a rule', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Evaluator rules');
  const grid = page.getByRole('grid', { name: 'Evaluator rules' });
  await expect(grid.getByRole('gridcell', { name: 'enabled' })).toHaveCount(2);
  await grid.focus();
  await page.keyboard.press('F2');
  const field = page.getByRole('textbox', { name: 'Filter State', exact: true });
  for (const typed of ['paused', '=Paused', '!enabled']) {
    await field.fill('');
    await expect(grid.getByRole('gridcell', { name: 'enabled' })).toHaveCount(2);
    await field.fill(typed);
    await expect(grid.getByRole('gridcell', { name: 'enabled' })).toHaveCount(0);
    await expect(grid.getByRole('gridcell', { name: 'paused' })).toHaveCount(1);
  }
});

test('names filters that it does not understand', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Evaluator rules');
  await page.getByRole('gridcell', { name: 'Safety' }).dblclick();
  await expect(page.getByText('{"span_type":["llm"]}. Fewer spans may match.')).toBeVisible();
  await expect(page.getByText('paused')).toBeVisible();
});

test('tries a new rule before it is made, and sends it without filters', async ({ open }) => {
  const page = await open({ hasEvaluators: true });
  await openPlace(page, 'Evaluator rules');
  await page.getByRole('button', { name: 'New evaluator rule' }).click();
  const form = page.getByRole('form', { name: 'New evaluator rule' });
  await expect(form.getByRole('button', { name: 'Try on stored spans' })).toBeDisabled();
  await form.getByRole('textbox', { name: 'Name' }).fill('Drafts');
  await form.getByRole('combobox', { name: /^Application/ }).click();
  await page.getByRole('option').first().click();
  await form.getByRole('combobox', { name: /^Evaluator/ }).click();
  await page.getByRole('option').first().click();
  const keys = { response: 'fiddler.contents.gen_ai.llm.output', context: 'nowhere' };
  await form.getByRole('textbox', { name: /^Inputs/ }).fill(JSON.stringify(keys));
  await form
    .getByRole('spinbutton', { name: /^Sampling rate/ })
    .or(form.getByLabel('Sampling rate'))
    .first()
    .fill('0.2');
  const result = form.getByRole('status').filter({ hasText: 'stored spans' });
  await form.getByRole('button', { name: 'Try on stored spans' }).click();
  await expect(result).toBeVisible();
  // The result for other inputs is removed.
  await form.getByRole('textbox', { name: /^Inputs/ }).fill('{"odd": 3}');
  await expect(form.getByText('Expected the path of the input odd as a text, got 3.')).toBeVisible();
  await expect(result).toHaveCount(0);
  await form.getByRole('textbox', { name: /^Inputs/ }).fill(JSON.stringify(keys));
  await form.getByRole('button', { name: 'Try on stored spans' }).click();
  await expect(result).toContainText(
    'None of them has all inputs. The rule takes a 20 % sample of what matches: about 56 of 280 traces.',
  );
  expect(await callsOf(page, 'resources:act')).toHaveLength(0);
  await form.getByRole('button', { name: 'Create evaluator rule' }).click();
  await expect.poll(async () => (await callsOf(page, 'resources:act')).length).toBe(1);
  const [made] = await callsOf(page, 'resources:act');
  expect(made?.argument).toMatchObject({
    operation: 'evaluator-rules.create',
    body: { name: 'Drafts', mapped_input_keys: keys, sampling_rate: 0.2 },
  });
  expect(Object.keys(Object(made?.argument['body']))).not.toContain('filters');
});

test('says which shares of evaluator outputs are those of a sample', async ({ open }) => {
  const page = await open({ hasOutputs: true });
  await openSpans(page);
  await page.getByRole('tab', { name: /^Attributes/ }).click();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await expect(row('Short drafts')).toContainText('of a 10 % sample');
  await expect(row('Answer relevance')).not.toContainText('sample');
  await expect(
    page.getByText('a span without its result was not in the sample, or did not match'),
  ).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('says in charts which values are those of a sample', async ({ open }, info) => {
  const body = (metrics: readonly string[]) => ({
    application_id: uuid(0),
    filters: { time_label: '30d', time_range: null, time_zone: 'UTC', bin_size: 'Day' },
    queries: metrics.map((metric, at) => ({ query_key: uuid(800 + at), metric, viz_type: 'line' })),
  });
  const withChart = (metrics: readonly string[]) => ({
    charts: {
      list: [{ id: 'c1', name: 'Short', body: body(metrics), about: 'Support', right: [], savedAtMs: 1 }],
    },
    tabs: {
      list: [{ id: '1', kind: 'chart', title: 'Short', params: { chartId: 'c1' } }],
      activeId: '1',
    },
  });
  const page = await open({ layout: withChart(['span_count', 'is_concise', 'is_answer_relevant']) });
  await expect(
    page.getByText('Conciseness: is_concise of a 10 % sample: traces outside of the sample have no result.'),
  ).toBeVisible();
  await takePictures(page, info, 'sampled-chart');
  expect(await violations(page)).toEqual([]);

  const tiles = JSON.stringify([
    { id: 't', title: 'Concise', body: body(['is_concise']), right: [], columns: [] },
    { id: 'u', title: 'Spans', body: body(['span_count']), right: [], columns: [] },
  ]);
  const params = { board: `application:${uuid(0)}`, about: 'Support', tiles };
  const board = await open({
    layout: {
      tabs: { list: [{ id: '1', kind: 'board', title: 'Support board', params }], activeId: '1' },
    },
  });
  const tile = (title: string) => board.getByRole('region', { name: title, exact: true });
  await expect(tile('Concise')).toContainText('of a 10 % sample');
  await expect(tile('Spans')).toContainText('by day');
  await expect(tile('Spans')).not.toContainText('sample');
  await takePictures(board, info, 'sampled-board');

  const whole = await open({ layout: withChart(['span_count', 'is_answer_relevant']) });
  await expect(whole.getByRole('list', { name: 'Series' })).toContainText('Answer relevance');
  await expect(whole.getByText('sample')).toHaveCount(0);
});

test('says where a service lacks rules, and what a failed dry run needs', async ({ open }) => {
  const without = await open({ lists: 'unknown' });
  await openPlace(without, 'Evaluator rules');
  await expect(without.getByText('This service does not offer evaluator rules')).toBeVisible();

  const page = await open({ hasNoDryRun: true });
  await openPlace(page, 'Evaluator rules');
  await page.getByRole('gridcell', { name: 'Short drafts' }).dblclick();
  await expect(page.getByText('The local store cannot be read')).toBeVisible();
});
