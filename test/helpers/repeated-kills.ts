/** The application is killed repeatedly in the middle of its work, each time while the service does not answer. */
import type { Page } from '@playwright/test';
import type { OperationId } from '../../electron/api/endpoints.ts';
import type { Launched } from './app.ts';
import { expect, type TestService } from './product.ts';

interface Kills {
  readonly launch: () => Promise<Launched>;
  readonly service: TestService;
  /**
   * The requests that hang. All hang after a certain one, however late the kill is, so that work remains for the next
   * start.
   */
  readonly operation: OperationId;
  /** One entry per kill: the number of requests answered before it, and whether the hanging ones are executed. */
  readonly hangs: readonly { readonly after: number; readonly isStored?: boolean }[];
  /** Starts the work in the first window; later windows continue automatically. */
  readonly begin: () => Promise<unknown>;
  /** Additional condition for a kill, beside a hanging request. */
  readonly isHalfWay?: (page: Page) => Promise<boolean>;
}

/** Returns the application launched after the last kill; the service answers again. */
export async function killRepeatedly(
  first: Launched,
  { launch, service, operation, hangs, begin, isHalfWay = () => Promise.resolve(true) }: Kills,
): Promise<Launched> {
  for (const [index, { after, isStored = false }] of hangs.entries()) {
    service.now.clearReport();
    service.now.setFaults([{ match: { operation }, after, action: { type: 'hang', isStored } }]);
    const { page, kill } = index === 0 ? first : await launch();
    if (index === 0) await begin();
    const isHanging = async () => service.now.report().faults > 0 && (await isHalfWay(page));
    await expect.poll(isHanging, { intervals: [100] }).toBe(true);
    await kill();
    service.expectClean();
  }
  service.now.setFaults([]);
  return launch();
}
