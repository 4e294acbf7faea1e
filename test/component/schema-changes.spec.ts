/** Changes in the schema of new rows on Home and in Activity are shown, linked to their rows, and accepted. */
import { violations, violationsInDark } from './accessibility.ts';
import { NOW } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';

const LAYOUT = { left: NOW - 2 * 86_400_000 };

test('shows on Home what changed in new rows, and accepts it', async ({ open }) => {
  const page = await open({ opensStart: true, schema: 'changed', layout: LAYOUT });
  await expect(page.getByRole('group', { name: 'Since you left' })).toContainText(
    /3 fields changed in new rows/,
  );
  const section = page.getByRole('region', { name: 'Schema of new rows' });
  await expect(section.getByRole('listitem')).toHaveText([
    /gen_ai\.usage\.cost.*from number to text in 240 new llm rows/,
    /gen_ai\.request\.model.*a value in 95 % of the rows before, in 20 % of 240 new llm rows/,
    /input\.value.*QA pairs, Refunds: no value in 480 new rows, in 50 % of the rows before/,
  ]);
  expect(await violations(page)).toEqual([]);
  expect(await violationsInDark(page)).toEqual([]);
  await section.getByRole('button', { name: 'This is fine' }).first().click();
  await expect(section.getByRole('listitem')).toHaveCount(2);
  expect(await newestCall(page, 'snapshots:ask')).toMatchObject({
    action: 'accept-schema-change',
    changeId: 1,
  });
  await page.getByRole('button', { name: /fields changed in new rows/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Changes');
  await expect(page.getByRole('region', { name: 'Schema of new rows' }).getByRole('listitem')).toHaveText([
    /gen_ai\.request\.model/,
    /input\.value/,
    /gen_ai\.usage\.cost.*accepted/,
    /metadata\.order.*as before again/,
  ]);
  expect(await violations(page)).toEqual([]);
});

test('leads from a field to the new rows without it', async ({ open }) => {
  const page = await open({ opensStart: true, schema: 'changed', layout: LAYOUT });
  const section = page.getByRole('region', { name: 'Schema of new rows' });
  await section.getByRole('button', { name: /gen_ai\.request\.model/ }).click();
  await expect(page.getByRole('tab', { name: 'New rows: gen_ai.request.model' })).toBeVisible();
  const asked = async () => JSON.stringify(await callsOf(page, 'library:open-list'));
  await expect.poll(asked).toContain('"application_id":"a1"');
  const filtered = async () => JSON.stringify(await callsOf(page, 'library:read-rows'));
  await expect.poll(filtered).toContain('"field":"span_attributes.gen_ai.request.model","is":"missing"');
});

test('says that changes cannot be read, and tries again', async ({ open }) => {
  const page = await open({ opensStart: true, schema: 'failed', layout: LAYOUT });
  const section = page.getByRole('region', { name: 'Schema of new rows' });
  await expect(section.getByRole('alert')).toContainText('Could not load changes of the schema');
  const before = (await callsOf(page, 'snapshots:ask')).length;
  await section.getByRole('button', { name: /Retry|Try again/ }).click();
  await expect.poll(async () => (await callsOf(page, 'snapshots:ask')).length).toBeGreaterThan(before);
});
