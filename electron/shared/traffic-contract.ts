/** The channels of traffic; merged into contract.ts. */
import type * as t from './traffic-model.ts';
import { CHOSEN_PRIORITIES, LOG_SORTS, PRIORITIES, SHELLS, STATUS_CLASSES } from './traffic-model.ts';
import * as z from './zod.ts';

const connectionId = z.uuid();
const requestId = z.uuid();
const laneOperation = z.string().min(1).max(300);

/** A row must match every given part; absent and null match all rows. */
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
  /** Text contained in path and query, operation, error code, status, group or id, ignoring case. */
  text: z.string().max(500).nullish(),
};

const control = <A extends string>(action: A) => z.strictObject({ connectionId, action: z.literal(action) });

export const trafficContract = {
  'traffic:get-lanes': z.strictObject({ connectionId }),
  'traffic:control': z.discriminatedUnion('action', [
    /**
     * Pauses sending; null: for all lanes of the connection, including later ones. The pause ends when the application
     * exits.
     */
    control('pause').extend({ operation: laneOperation.nullable() }),
    control('resume').extend({ operation: laneOperation.nullable() }),
    /**
     * Uploads send in this order, followed by those that are not listed; null: in turn. The order ends when the
     * application exits.
     */
    control('order-uploads').extend({ jobIds: z.array(z.string().min(1).max(100)).max(10_000).nullable() }),
    /**
     * Waiting and later requests of a group get this priority; null: their own. The choice ends when the application
     * exits.
     */
    control('choose-priority').extend({
      group: z.string().min(1).max(300),
      priority: z.enum(CHOSEN_PRIORITIES).nullable(),
    }),
    /** Restores the published limits of one lane; temporary restrictions from an answer, of at most a day, remain. */
    control('forget-limits').extend({ operation: laneOperation }),
    /** Deletes every request from the log. */
    control('clear-log'),
  ]),
  'traffic:get-log': z.strictObject({
    connectionId,
    ...logFilter,
    /** Null: newest first. */
    sort: z.strictObject({ field: z.enum(LOG_SORTS), isDescending: z.boolean() }).nullish(),
    limit: z.int().min(1).max(200),
    /** `seq` of the last row of the previous page; null: from the beginning. */
    beforeSeq: z.int().nullable(),
  }),
  'traffic:get-request': z.strictObject({ connectionId, requestId }),
  /** The request as a curl command that takes the token from the environment variable SPANDECK_TOKEN. */
  'traffic:copy-curl': z.strictObject({
    connectionId,
    requestId,
    /** Null: the shell of the application's system. */
    shell: z.enum(SHELLS).nullish(),
  }),
  /** Asks where to save, then writes the log as HAR 1.2. Null if cancelled. */
  'traffic:save-har': z.strictObject({ connectionId, ...logFilter }),
  /** The cost of requests before any is sent. Operations are given by id, e.g. `events.publish`. */
  'traffic:plan': z.strictObject({
    connectionId,
    requests: z
      .array(z.strictObject({ operation: z.string().max(60), count: z.int().min(0).max(10_000_000) }))
      .min(1)
      .max(50),
    /** Wall time of the start; absent, null or past: now. */
    startAtMs: z.number().nullish(),
  }),
} as const;

export interface TrafficResults {
  'traffic:get-lanes': t.LaneOverview;
  'traffic:control': t.LaneOverview;
  'traffic:get-log': t.LogPage;
  'traffic:get-request': t.RequestDetails;
  /** `note` describes the part missing in the command (a body that was not logged); empty if it is complete. */
  'traffic:copy-curl': { command: string; note: string };
  'traffic:save-har': { fileName: string; entries: number } | null;
  'traffic:plan': t.TrafficPlan;
}

export interface TrafficEvents {
  /** Lanes have changed. Sent at most ten times a second. */
  'traffic:changed': { connectionId: string };
  /**
   * Requests have ended. Sent at most four times a second with at most 200 `rows`, newest first. `skipped` is the
   * number of further rows, which must be read from the log.
   */
  'traffic:logged': { connectionId: string; rows: t.RequestLogRow[]; skipped: number };
}
