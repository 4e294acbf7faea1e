/**
 * The part of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/) that the product writes: names, types, and
 * required fields.
 */
import { z } from 'zod';

const pair = z.looseObject({ name: z.string(), value: z.string(), comment: z.string().optional() });
const cookie = z.looseObject({ name: z.string(), value: z.string() });
/** -1 if the size does not apply or is unknown. */
const size = z.int().min(-1);
const duration = z.number().min(-1);

const timings = z
  .looseObject({
    blocked: duration.optional(),
    dns: duration.optional(),
    connect: duration.optional(),
    ssl: duration.optional(),
    send: z.number().min(0),
    wait: z.number().min(0),
    receive: z.number().min(0),
  })
  .strict();

const entry = z
  .looseObject({
    startedDateTime: z.iso.datetime({ offset: true }),
    time: z.number().min(0),
    request: z.strictObject({
      method: z.string().regex(/^[A-Z]+$/),
      url: z.url(),
      httpVersion: z.string(),
      cookies: z.array(cookie),
      headers: z.array(pair),
      queryString: z.array(pair),
      postData: z
        .strictObject({
          mimeType: z.string(),
          text: z.string(),
          params: z.array(z.unknown()).optional(),
          comment: z.string().optional(),
        })
        .optional(),
      headersSize: size,
      bodySize: size,
    }),
    response: z.strictObject({
      status: z.int(),
      statusText: z.string(),
      httpVersion: z.string(),
      cookies: z.array(cookie),
      headers: z.array(pair),
      content: z.strictObject({
        size: z.int(),
        mimeType: z.string(),
        text: z.string().optional(),
        comment: z.string().optional(),
      }),
      redirectURL: z.string(),
      headersSize: size,
      bodySize: size,
    }),
    cache: z.strictObject({}),
    timings,
    comment: z.string().optional(),
  })
  .refine(
    (one) => Object.keys(one).every((name) => name.startsWith('_') || KNOWN.has(name)),
    'fields of its own begin with an underscore',
  )
  .refine((one) => {
    const { blocked = -1, dns = -1, connect = -1, send, wait, receive } = one.timings;
    const sum = [blocked, dns, connect, send, wait, receive].reduce(
      (all, part) => all + Math.max(0, part),
      0,
    );
    return Math.abs(sum - one.time) < 0.001;
  }, 'time is the sum of its parts');

const KNOWN = new Set([
  'startedDateTime',
  'time',
  'request',
  'response',
  'cache',
  'timings',
  'comment',
  'pageref',
  'serverIPAddress',
  'connection',
]);

export const har = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    comment: z.string().optional(),
    entries: z.array(entry),
  }),
});
export type Har = z.infer<typeof har>;
