/** The channels of traffic; merged into contract.ts. */
import { z } from 'zod';
import type * as t from './traffic-model.ts';
import { CHOSEN_PRIORITIES, LOG_SORTS, PRIORITIES, SHELLS, STATUS_CLASSES } from './traffic-model.ts';

const connectionId = z.uuid();
const requestId = z.uuid();
const laneOperation = z.string().min(1).max(300);

/** Rows that satisfy every part that is given; absent and null: all. */
export const logFilter = {
  /** Method and path template. */
  operation: laneOperation.nullish(),
  /** `GET`, `POST`, … */
  method: z
    .string()
    .regex(/^[A-Z]{1,20}$/)
    .nullish(),
  priority: z.enum(PRIORITIES).nullish(),
  statusClass: z.enum(STATUS_CLASSES).nullish(),
  /** Occurs in path and query, operation, error code, status, group or id; case does not matter. */
  text: z.string().max(500).nullish(),
};

const control = <A extends string>(action: A) => z.strictObject({ connectionId, action: z.literal(action) });

export const trafficContract = {
  'traffic:get-lanes': z.strictObject({ connectionId }),
  'traffic:control': z.discriminatedUnion('action', [
    /** Keeps requests from being sent; null: all lanes of the connection, later ones included. Forgotten at exit. */
    control('pause').extend({ operation: laneOperation.nullable() }),
    control('resume').extend({ operation: laneOperation.nullable() }),
    /** Uploads send in this order, those that are not named behind them; null: in turn. Forgotten at exit. */
    control('order-uploads').extend({ jobIds: z.array(z.string().min(1).max(100)).max(10_000).nullable() }),
    /** What waits in a group, and what it asks for later, goes by this priority; null: by its own. Forgotten at exit. */
    control('choose-priority').extend({
      group: z.string().min(1).max(300),
      priority: z.enum(CHOSEN_PRIORITIES).nullable(),
    }),
    /** Back to the published limits of one lane; what an answer forbade for a day at most holds on. */
    control('forget-limits').extend({ operation: laneOperation }),
    /** Forgets every request of the log. */
    control('clear-log'),
  ]),
  'traffic:get-log': z.strictObject({
    connectionId,
    ...logFilter,
    /** Null: newest first. */
    sort: z.strictObject({ field: z.enum(LOG_SORTS), isDescending: z.boolean() }).nullish(),
    limit: z.int().min(1).max(200),
    /** `seq` of the last row of the page before; null: from the beginning. */
    beforeSeq: z.int().nullable(),
  }),
  'traffic:get-request': z.strictObject({ connectionId, requestId }),
  /** The request as a curl command that takes the token from the environment variable SPANDECK_TOKEN. */
  'traffic:copy-curl': z.strictObject({
    connectionId,
    requestId,
    /** Null: that of the system the application runs on. */
    shell: z.enum(SHELLS).nullish(),
  }),
  /** Asks where to save, then writes the log as HAR 1.2. Null where the person cancelled. */
  'traffic:save-har': z.strictObject({ connectionId, ...logFilter }),
  /** What requests would cost before any is sent. Operations by id, e.g. `events.publish`. */
  'traffic:plan': z.strictObject({
    connectionId,
    requests: z
      .array(z.strictObject({ operation: z.string().max(60), count: z.int().min(0).max(10_000_000) }))
      .min(1)
      .max(50),
    /** Wall time of the beginning; absent, null or past: now. */
    startAtMs: z.number().nullish(),
  }),
} as const;

export interface TrafficResults {
  'traffic:get-lanes': t.LaneOverview;
  'traffic:control': t.LaneOverview;
  'traffic:get-log': t.LogPage;
  'traffic:get-request': t.RequestDetails;
  /** `note` says what the command lacks (a body that was not kept); empty where it is whole. */
  'traffic:copy-curl': { command: string; note: string };
  'traffic:save-har': { fileName: string; entries: number } | null;
  'traffic:plan': t.TrafficPlan;
}

export interface TrafficEvents {
  /** Lanes changed. At most ten times a second. */
  'traffic:changed': { connectionId: string };
  /**
   * Requests ended: newest first, at most four times a second and `rows` at most 200. `skipped` rows came
   * besides: read the log again.
   */
  'traffic:logged': { connectionId: string; rows: t.RequestLogRow[]; skipped: number };
}
