/** The views of the evaluation loop in each state: full, empty, failed, offline, and with a service that lacks them. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { openDataset } from './dataset-steps.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

interface View {
  name: string;
  open: (page: Page) => Promise<unknown>;
  /** The text that is shown in each state. */
  states: readonly (readonly [state: string, scenario: Scenario, text: string | RegExp])[];
}

async function openRecord(page: Page, place: string, name: RegExp): Promise<void> {
  await openPlace(page, place);
  await page.getByRole('gridcell', { name }).first().dblclick();
}
async function openScores(page: Page): Promise<void> {
  await openDataset(page);
  await page.getByRole('tab', { name: /^Scores/ }).click();
}

const VIEWS: readonly View[] = [
  {
    name: 'experiments',
    open: (page) => openPlace(page, 'Experiments'),
    states: [
      ['stale', { lists: 'failed' }, 'Could not refresh'],
      ['refused', { lists: 'refused' }, 'Token not accepted'],
      ['not stored', { lists: 'not-stored', network: 'switched-off' }, /not stored|No stored/i],
    ],
  },
  {
    name: 'experiment',
    open: (page) => openRecord(page, 'Experiments', /^Prompt v1/),
    states: [
      ['offline', { network: 'switched-off' }, 'Answer Relevance'],
      ['stale', { lists: 'failed' }, 'Prompt v1'],
    ],
  },
  {
    name: 'result upload',
    open: async (page) => {
      await openRecord(page, 'Experiments', /^Prompt v1/);
      await page.getByRole('button', { name: 'Upload results…' }).click();
    },
    states: [
      ['full', { itemFile: 'full' }, /\d results in/],
      ['bad rows', { itemFile: 'bad' }, 'Leave the bad rows out, or correct them.'],
      ['failed', { itemFile: 'failed' }, 'Choose another file'],
      ['offline', { network: 'switched-off' }, 'Answer Relevance'],
    ],
  },
  {
    name: 'scores',
    open: openScores,
    states: [
      ['empty', {}, 'No scores yet.'],
      ['failed', { hasScores: 'incomparable' }, 'its file is damaged'],
      ['offline', { hasScores: 'two', network: 'switched-off' }, 'Worse by'],
    ],
  },
  {
    name: 'report',
    open: async (page) => {
      await openScores(page);
      await page.getByRole('button', { name: 'Report…' }).click();
    },
    states: [
      ['failed', { hasScores: 'two', report: 'failed' }, 'are stored on this computer.'],
      ['private', { hasScores: 'two', report: 'private' }, 'There is no keychain'],
    ],
  },
  {
    name: 'evaluator rules',
    open: (page) => openPlace(page, 'Evaluator rules'),
    states: [
      ['full', {}, 'Short drafts'],
      ['empty', { lists: 'empty' }, /No evaluator rules/],
      ['failed', { lists: 'broken' }, 'nothing listens there'],
      ['offline', { network: 'switched-off' }, 'Short drafts'],
      ['not offered', { lists: 'unknown' }, 'This service does not offer evaluator rules'],
    ],
  },
  {
    name: 'rule',
    open: (page) => openRecord(page, 'Evaluator rules', /^Short drafts/),
    states: [
      ['tried', {}, '310 of 1,240 stored spans match'],
      ['offline', { network: 'switched-off' }, '310 of 1,240 stored spans match'],
      ['failed', { hasNoDryRun: true }, 'The local store cannot be read'],
    ],
  },
  {
    name: 'GenAI rules',
    open: (page) => openPlace(page, 'GenAI rules'),
    states: [
      ['full', {}, 'Answers get long'],
      ['empty', { lists: 'empty' }, /No (GenAI|alert) rules/],
      ['failed', { lists: 'broken' }, 'nothing listens there'],
      ['offline', { network: 'switched-off' }, 'Answers get long'],
      ['not offered', { lists: 'unknown' }, 'This service does not offer alert rules of applications'],
    ],
  },
  {
    name: 'alert rules',
    open: (page) => openPlace(page, 'Alert rules'),
    states: [
      ['full', {}, 'Traffic drops'],
      ['empty', { lists: 'empty' }, /No alert rules/],
      ['failed', { lists: 'broken' }, 'nothing listens there'],
      ['offline', { network: 'switched-off' }, 'Traffic drops'],
    ],
  },
];

for (const { name, open: openView, states } of VIEWS)
  for (const [state, scenario, text] of states)
    test(`shows ${name}: ${state}`, async ({ open }, info) => {
      const page = await open(scenario);
      await openView(page);
      await expect(page.locator('body')).toContainText(text);
      await takePictures(page, info, `${name}-${state}`.replaceAll(' ', '-'));
    });
