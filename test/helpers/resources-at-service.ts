/** Resources in the window, and the same resources as the sample service has them. */
import type { Page } from '@playwright/test';
import { ConnectionPage, WelcomePage } from './pages.ts';
import { expect, type TestService } from './product.ts';
import { ResourcePage } from './resource-pages.ts';

export const APPLICATION = 'Support assistant';

export async function connect(page: Page, service: TestService): Promise<ResourcePage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new ResourcePage(page);
  await expect(bench.row('Applications', APPLICATION)).toBeVisible();
  return bench;
}

/** A list as the text that the service sends, read without the application, so that numbers have all their digits. */
export async function textAt(service: TestService, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${service.token}` };
  return (await fetch(`${service.baseUrl}/v3/${path}?limit=500`, { headers })).text();
}

/** Records of a list, as the service has them. */
export async function atService(service: TestService, path: string): Promise<Record<string, unknown>[]> {
  return (JSON.parse(await textAt(service, path)) as { data: { items: Record<string, unknown>[] } }).data
    .items;
}

export async function findAt(service: TestService, path: string, name: string) {
  return (await atService(service, path)).find((record) => record['name'] === name);
}
