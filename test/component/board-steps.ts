/** Windows with the board of a model. */
import type { Locator, Page } from '@playwright/test';
import { MODEL_ID } from './fake-main/monitoring.ts';
import type { Scenario } from './fake-main/scenario.ts';

export const PARAMS = { board: `model:${MODEL_ID}`, about: 'Card fraud', projectId: 'p' };

/** A window that shows the board of a model. */
export function withBoard(scenario: Scenario = {}, params: Record<string, string> = {}): Scenario {
  const tab = { id: '1', kind: 'board', title: 'Card fraud board', params: { ...PARAMS, ...params } };
  return {
    hasManyMetrics: true,
    ...scenario,
    layout: { ...scenario.layout, tabs: { list: [tab], activeId: '1' } },
  };
}

export const tile = (page: Page, title: string): Locator =>
  page.locator('section.tile', { has: page.getByRole('heading', { name: title, exact: true }) });
export const plot = (page: Page, title: string): Locator =>
  page.getByRole('slider', { name: `Time in ${title}`, exact: true });
