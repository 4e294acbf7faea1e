/** Kills the application repeatedly in the middle of its work, each time while the service does not answer. */
import type { Page } from '@playwright/test';
import type { OperationId } from '../../electron/api/endpoints.ts';
import type { Launched } from './app.ts';
import { expect, type TestService } from './product.ts';

interface Kills {
  readonly launch: () => Promise<Launched>;
  readonly service: TestService;
  /**
   * The requests that hang. From a certain one on all hang, so that work remains for the next start however late the
   * kill comes.
   */
  readonly operation: OperationId;
  /** One entry per kill: the number of requests that are answered before, and whether the hanging ones are executed. */
  readonly hangs: readonly { readonly after: number; readonly isStored?: boolean }[];
  /** Starts the work in the first window. Later windows continue automatically. */
  readonly begin: () => Promise<unknown>;
  /** A condition for the kill, in addition to a hanging request. */
  readonly isHalfWay?: (page: Page) => Promise<boolean>;
}

/** Returns the application that was launched after the last kill. The service answers again. */
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
