/** Traffic of another client: the model itself, which publishes to its environment during an upload. */
import type { Service } from './service.ts';

/** Adds `rows` events similar to the last one to PRODUCTION of a model. Throws if it has no events. */
export function publishLiveTraffic({ stores, clock, random }: Service, modelId: string, rows: number): void {
  const environment = stores.resources
    .list('environment', modelId)
    .find((record) => record['type'] === 'PRODUCTION');
  if (environment === undefined) throw new RangeError(`live-traffic: no PRODUCTION of a model "${modelId}".`);
  const like = stores.events.all(modelId).at(-1)?.event ?? {};
  const events = Array.from({ length: rows }, () => ({
    id: random.uuid(),
    modelId,
    environmentId: String(environment['id']),
    isProduction: true,
    timeMs: clock.nowMs(),
    record: like,
  }));
  stores.events.add(events);
}
